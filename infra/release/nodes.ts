import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { pinnedNode } from '../start/launch/decisions.mjs'

const run = promisify(execFile)

/** Platforms of single files, as Node's npm packages name them. */
export const platforms = ['linux-x64', 'linux-arm64'] as const
export type Platform = (typeof platforms)[number]

/** The same platforms, as Debian and container images name them. */
export const architectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const satisfies Record<
  Platform,
  string
>

/**
 * Node's binary of the pinned version for a platform, from the npm registry, which must have the checksum that our
 * lockfile has. It is fetched once for a checkout.
 * @throws Error where the registry does not give it, or gives something else
 */
export const nodeFor = async (platform: Platform, root: string): Promise<string> => {
  const cache = join(root, '.cache/nodes')
  const file = join(cache, `node-${pinnedNode}-${platform}`)
  const kept = await readFile(file).catch(() => null)
  if (kept !== null && (await readFile(`${file}.sha512`, 'utf8').catch(() => '')) === sha512(kept))
    return file
  const name = `node-${platform}`
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'fetch-'))
  try {
    const { stdout } = await run('npm', [
      'pack',
      '--json',
      '--pack-destination',
      folder,
      `${name}@${pinnedNode}`,
    ])
    const [packed] = JSON.parse(stdout) as { filename: string }[]
    const archive = await readFile(join(folder, packed?.filename ?? name))
    if (sha512(archive) !== (await integrityOf(root, name))) {
      throw new Error(
        `${name} ${pinnedNode} does not have the checksum of infra/start/node/package-lock.json`,
      )
    }
    const [binary] = await unpackTar(gunzipSync(archive), {
      filter: (entry) => entry.name === 'package/bin/node',
    })
    if (binary?.data === undefined) throw new Error(`${name} ${pinnedNode} has no bin/node`)
    await writeFile(join(folder, 'node'), binary.data, { mode: 0o755 })
    await rename(join(folder, 'node'), file)
    await writeFile(`${file}.sha512`, sha512(binary.data))
    return file
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const sha512 = (bytes: Uint8Array): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

const integrityOf = async (root: string, name: string): Promise<string | undefined> => {
  const lock = await readFile(join(root, 'infra/start/node/package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { integrity?: string }> }
  return packages[`node_modules/${name}`]?.integrity
}
