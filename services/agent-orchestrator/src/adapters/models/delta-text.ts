import { type ModelDelta } from '../../model-provider.js'

const endsInHalfPair = /[\uD800-\uDBFF]$/

/** Collects text and passes it on piece by piece; half a surrogate pair waits for its other half. */
export interface DeltaText {
  readonly append: (piece: string) => void
  readonly text: () => string
}

/** A collector for one kind of text of one turn. */
export function createDeltaText(
  kind: 'text' | 'thinking',
  onDelta: (delta: ModelDelta) => void,
): DeltaText {
  const pieces: string[] = []
  let carried = ''
  return {
    append: (piece) => {
      pieces.push(piece)
      const shown = carried + piece
      carried = endsInHalfPair.test(shown) ? shown.slice(-1) : ''
      const ready = carried === '' ? shown : shown.slice(0, -1)
      if (ready !== '') onDelta({ kind, text: ready })
    },
    text: () => pieces.join(''),
  }
}
