import { systemTimers } from '@sciencediscovery/event-store'

const pauseMs = 20

/** Whatever tells how far views are behind. */
export interface Behind {
  status(): Promise<readonly { readonly lag: number }[]>
}

/** Waits until no view is behind, for at most `timeoutMs`; says whether that was reached. */
export async function caughtUp(views: Behind, timeoutMs: number): Promise<boolean> {
  const until = systemTimers.now() + timeoutMs
  for (;;) {
    const behind = (await views.status()).some(({ lag }) => lag > 0)
    if (!behind) return true
    if (systemTimers.now() >= until) return false
    await systemTimers.sleep(pauseMs)
  }
}
