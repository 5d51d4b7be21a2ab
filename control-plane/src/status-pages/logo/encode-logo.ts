import { hash } from 'node:crypto'
import type sharp from 'sharp'
import type { Sharp } from 'sharp'
import { pagePools } from '@probe-mesh/contracts/status-page/page-pools'
import { logoLimits, type LogoExtension } from '@probe-mesh/contracts/status-page/logo'

/** An image as stored and served. */
export type EncodedLogo = {
  type: LogoExtension
  /** The hash of the bytes, a part of the address. */
  hash: string
  width: number
  height: number
  bytes: Buffer
}

/** For decoding and encoding together. */
const secondsMax = pagePools.logoImages.workMsMax / 1_000

/**
 * Converts an uploaded file to a logo: decodes it, turns it upright, scales it down and encodes it again, so
 * that only its pixels remain. The size is read before any pixel.
 * @returns the logo, or the problem of the file
 */
export const encodeLogo = async (file: Uint8Array): Promise<EncodedLogo | { problem: string }> => {
  if (file.length > logoLimits.bytesMax) return { problem: tooLarge }
  const format = formatOf(file)
  if (format === null) return { problem: 'must be a PNG, JPEG, WebP or GIF image' }
  const open = await loadSharp()
  const { pixelsMax, storedPixelsMax, bytesMax } = logoLimits
  try {
    const image = open(file, { limitInputPixels: pixelsMax ** 2, failOn: 'error', sequentialRead: true })
    const { width, height, pages = 1 } = await image.metadata()
    if (width > pixelsMax || height > pixelsMax) return { problem: tooManyPixels }
    if (pages > 1) return { problem: 'must not be animated' }
    const small = image
      .timeout({ seconds: secondsMax })
      .autoOrient()
      .resize({ width: storedPixelsMax, height: storedPixelsMax, fit: 'inside', withoutEnlargement: true })
    const type = types[format]
    const { data, info } = await encoders[type](small).toBuffer({ resolveWithObject: true })
    if (data.length > bytesMax) return { problem: `${tooLarge} once it is decoded; use fewer pixels` }
    const digest = hash('sha256', data, 'base64url').slice(0, 22)
    return { type, hash: digest, width: info.width, height: info.height, bytes: data }
  } catch (error) {
    const isPixelLimit = error instanceof Error && error.message.includes('pixel limit')
    return { problem: isPixelLimit ? tooManyPixels : 'is damaged, or too complex to decode' }
  }
}

const tooLarge = `must be at most ${logoLimits.bytesMax / 1024} KB`
const tooManyPixels = `must be at most ${logoLimits.pixelsMax} pixels wide and high`

type Format = 'png' | 'jpeg' | 'webp' | 'gif'

/**
 * Detects the format by the first bytes, not the file name. SVG is excluded: it can contain scripts.
 */
const formatOf = (file: Uint8Array): Format | null => {
  const begins = (signature: readonly number[], at = 0): boolean =>
    signature.every((byte, index) => file[at + index] === byte)
  if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png'
  if (begins([0xff, 0xd8, 0xff])) return 'jpeg'
  if (begins([0x52, 0x49, 0x46, 0x46]) && begins([0x57, 0x45, 0x42, 0x50], 8)) return 'webp'
  return begins([0x47, 0x49, 0x46, 0x38]) ? 'gif' : null
}

const types: Readonly<Record<Format, LogoExtension>> = { png: 'png', jpeg: 'jpg', webp: 'webp', gif: 'png' }

const encoders: Readonly<Record<LogoExtension, (image: Sharp) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 9 }),
  jpg: (image) => image.jpeg({ quality: 90 }),
  webp: (image) => image.webp({ quality: 90 }),
}

let loaded: Promise<typeof sharp> | null = null

/** Loads the library for the first upload. It decodes only the four formats. */
const loadSharp = (): Promise<typeof sharp> => {
  loaded ??= import('sharp').then(({ default: library }) => {
    library.cache(false)
    library.concurrency(1)
    library.block({ operation: ['VipsForeignLoad'] })
    library.unblock({
      operation: [
        'VipsForeignLoadPngBuffer',
        'VipsForeignLoadJpegBuffer',
        'VipsForeignLoadWebpBuffer',
        'VipsForeignLoadNsgifBuffer',
      ],
    })
    return library
  })
  return loaded
}
