import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import { cutText } from '../events/raw/cut-text.ts'
import { debugIdOf } from '../events/raw/ids.ts'
import { parseSourceMap } from '../events/source-maps/read-source-map.ts'
import { readZip, ZipProblem, type Zip } from './read-zip.ts'

/** A source map of a bundle, ready for storage. */
export type BundleMap = { debugId: string; file: string; packed: Uint8Array; readBytes: number }

const manifestBytesMax = 4 * 1024 * 1024
const nameCharactersMax = 500

/** The manifest that `sentry-cli` writes. The case of header names differs by version. */
const Manifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      type: z.string().nullish(),
      url: z.string().nullish(),
      headers: z.record(z.string(), z.string()).nullish(),
    }),
  ),
})

/**
 * The source maps of an uploaded bundle, checked and within limits. Built files are skipped, because maps are
 * sufficient. SV-2101 with the reason for a bundle without usable maps.
 */
export const readBundle = async (bytes: Buffer): Promise<BundleMap[] | Refusal> => {
  const { bundleFilesMax } = sourceMapLimits
  let zip: Zip | null = null
  try {
    zip = await readZip(bytes, bundleFilesMax)
    return await readMaps(zip)
  } catch (error) {
    if (!(error instanceof ZipProblem)) throw error
    return refuseBundle(`the bundle cannot be read: ${error.message}`)
  } finally {
    zip?.close()
  }
}

const refuseBundle = (message: string): Refusal => refuse('SV-2101', { message: cutText(message, 300) })

const readMaps = async (zip: Zip): Promise<BundleMap[] | Refusal> => {
  const manifest = await readManifest(zip)
  if (manifest === null) return refuseBundle('the bundle has no manifest.json that can be read')
  const { mapUnpackedBytesMax, bundleUnpackedBytesMax } = sourceMapLimits
  const maps = new Map<string, BundleMap>()
  let unpackedBytes = 0
  let withoutId = 0
  for (const [path, { type, url, headers }] of Object.entries(manifest.files)) {
    if (type !== 'source_map') continue
    const named = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === 'debug-id')
    const debugId = debugIdOf(named?.[1])
    if (debugId === undefined) {
      withoutId++
      continue
    }
    const file = cutText(url ?? path, nameCharactersMax)
      .replaceAll('\0', '')
      .toWellFormed()
    const entry = zip.files.get(path)
    if (entry === undefined) return refuseBundle(`${file} is in the manifest and not in the bundle`)
    unpackedBytes += entry.uncompressedSize
    if (unpackedBytes > bundleUnpackedBytesMax) {
      return refuseBundle(`the bundle is larger than ${bundleUnpackedBytesMax} bytes when it is unpacked`)
    }
    const text = await zip.unpack(entry, mapUnpackedBytesMax)
    const parsed = parseSourceMap(text.toString('utf8'))
    if ('problem' in parsed) return refuseBundle(`${file}: ${parsed.problem}`)
    maps.set(debugId, { debugId, file, packed: await pack(text), readBytes: parsed.bytes })
  }
  if (maps.size > 0) return [...maps.values()]
  return refuseBundle(
    withoutId > 0
      ? 'no source map of the bundle has a debug id: run "sentry-cli sourcemaps inject" before the upload'
      : 'the bundle has no source map',
  )
}

const pack = promisify<Uint8Array, Buffer>(gzip)

const readManifest = async (zip: Zip): Promise<z.infer<typeof Manifest> | null> => {
  const entry = zip.files.get('manifest.json')
  if (entry === undefined) return null
  const text = await zip.unpack(entry, manifestBytesMax)
  try {
    return Manifest.parse(parseForeignJson(text))
  } catch {
    return null
  }
}
