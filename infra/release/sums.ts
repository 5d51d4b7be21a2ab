import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artefact, Release } from './release.ts'

export const sumsFile = 'SHA256SUMS'
export const manifestFile = 'manifest.json'

/** The sha256 of a file, as hexadecimal digits. */
const sha256 = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** What a release has, for programs: each file with its kind, platform, size and checksum. */
export const manifestOf = async (
  { out, version, providerVersion, commit, time }: Release,
  artefacts: readonly Artefact[],
): Promise<string> => {
  const files = await Promise.all(
    artefacts.map(async ({ file, kind, platform }) => ({
      file,
      kind,
      platform,
      bytes: (await stat(join(out, file))).size,
      sha256: await sha256(join(out, file)),
    })),
  )
  const product = { product: 'probe-mesh', version, providerVersion, commit, madeFrom: time.toISOString() }
  return `${JSON.stringify({ ...product, files }, null, 2)}\n`
}

/** The checksums of every file of a folder but those of the sums themselves, as `sha256sum --check` reads them. */
export const sumsOf = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => !name.startsWith(sumsFile)).toSorted()
  const lines = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`))
  return lines.join('')
}
