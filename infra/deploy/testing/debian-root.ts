import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { debianArchive } from '../../testing/debian-packages.ts'
import { findDebianProgram } from '../../testing/debian-program.ts'

const run = promisify(execFile)
const caches = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
const buildMsMax = 900_000
const outputBytesMax = 16 * 1024 * 1024
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Returns the folder of a new Debian 12, created once by debootstrap in a cache of this checkout. Do not
 * change it: mount an overlay over it.
 * @param packages in addition to the essential ones
 */
export const findDebianRoot = async (name: string, packages: readonly string[]): Promise<string> => {
  const kept = join(caches, name)
  if (await exists(kept)) return kept
  const program = await findDebianProgram('debootstrap')
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(`${kept}-`)
  try {
    const root = join(folder, 'root')
    await run(
      program,
      [
        '--variant=minbase',
        `--keyring=${keyring}`,
        ...(packages.length === 0 ? [] : [`--include=${packages.join(',')}`]),
        'bookworm',
        root,
        await debianArchive(),
      ],
      { env: environmentOf(program), timeout: buildMsMax, maxBuffer: outputBytesMax },
    )
    // atomic; if another run was first, its copy is used
    await rename(root, kept).catch(async (error: unknown) => {
      if (!(await exists(kept))) throw error
    })
    return kept
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** An unpacked debootstrap needs the path of its own files. */
const environmentOf = (program: string): NodeJS.ProcessEnv => {
  const own = join(dirname(program), 'root/usr/share/debootstrap')
  const path = ['/usr/sbin', '/sbin', process.env['PATH']].join(':')
  return {
    ...process.env,
    PATH: path,
    ...(program.endsWith('/run') ? { DEBOOTSTRAP_DIR: own } : {}),
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
