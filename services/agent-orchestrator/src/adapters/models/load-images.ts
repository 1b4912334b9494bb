import { isPlatformError } from '@sciencediscovery/kernel'
import { type ModelImage } from '../../model-provider.js'
import { type LoadImage } from './service-options.js'

/** Image types that both services take. */
export type WireImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** An image ready to be sent, or why it is not. */
export type WireImage =
  | { readonly kind: 'image'; readonly mediaType: WireImageType; readonly base64: string }
  | { readonly kind: 'note'; readonly text: string }

/** How a provider gets at images during one call. */
export interface ImageSource {
  readonly loadImage: LoadImage
  readonly maxImageBytes: number
  /** Whether the model takes images. */
  readonly sees: boolean
  readonly signal: AbortSignal
}

/** Images as a service takes them; one that cannot be sent is named instead, and the call goes on. */
export async function loadImages(
  images: readonly ModelImage[] | undefined,
  source: ImageSource,
): Promise<WireImage[]> {
  return Promise.all((images ?? []).map(async (image) => loadOne(image, source)))
}

async function loadOne(image: ModelImage, source: ImageSource): Promise<WireImage> {
  if (!source.sees) return note(`image of type ${image.mediaType}, which this model cannot see`)
  const mediaType = wireType(image.mediaType)
  if (mediaType === undefined) return note(`image of type ${image.mediaType} not shown`)
  const bytes = await bytesOf(image, source)
  if (bytes === undefined) return note('image no longer available')
  if (bytes.byteLength > source.maxImageBytes)
    return note(`image of ${String(bytes.byteLength)} bytes not shown, too large`)
  return { kind: 'image', mediaType, base64: Buffer.from(bytes).toString('base64') }
}

async function bytesOf(image: ModelImage, source: ImageSource): Promise<Uint8Array | undefined> {
  try {
    return await source.loadImage(image.digest, source.signal)
  } catch (error) {
    // A deleted image must not end every later turn of the session; an outage is worth a retry.
    if (isPlatformError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

function note(text: string): WireImage {
  return { kind: 'note', text: `[${text}]` }
}

function wireType(mediaType: string): WireImageType | undefined {
  switch (mediaType) {
    case 'image/jpg':
    case 'image/jpeg':
      return 'image/jpeg'
    case 'image/png':
    case 'image/gif':
    case 'image/webp':
      return mediaType
    default:
      return undefined
  }
}
