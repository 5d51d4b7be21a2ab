import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram } from '../../testing/debian-program.ts'

const run = promisify(execFile)
const buildMsMax = 1_500_000
const outputBytesMax = 32 * 1024 * 1024

/**
 * buildah restarts itself without its environment, so its unpacked files must be mounted at the system's
 * paths.
 */
const asInstalled = `
if [ -d "$1/usr" ]; then mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr; fi
echo there
exec cat`

/** The image's configuration for its start. */
type ImageConfig = { Env: string[]; Entrypoint: string[]; User: string; Labels: Record<string, string> }

/** Images of a release, loaded by Debian's buildah into a temporary folder. */
export type Images = {
  /** Loads an archive, as podman does. */
  load(target: string, archive: string): Promise<void>
  /** The command prefix that gives access to the roots of images. */
  readonly through: readonly string[]
  /** The readable root of an image, with its configuration. */
  open(target: string): Promise<{ root: string; config: ImageConfig; healthcheck: string[]; bytes: number }>
  close(): Promise<void>
}

export const createImages = async (): Promise<Images> => {
  const program = await findDebianProgram('buildah')
  const folder = await mkdtemp(join(tmpdir(), 'images-'))
  // its folder for user settings
  const policy = join(folder, '.config/containers/policy.json')
  await mkdir(dirname(policy), { recursive: true })
  await writeFile(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }))
  const registries = join(folder, 'registries.conf')
  await writeFile(registries, 'unqualified-search-registries = ["docker.io"]\n')
  const unpacked = program.endsWith('/run') ? join(dirname(program), 'root') : '/nonexistent'
  const holder = spawn('unshare', ['--mount', 'sh', '-ec', asInstalled, 'sh', unpacked], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])
  const through = ['nsenter', '--target', String(holder.pid), '--mount']
  const store = [
    '--root',
    join(folder, 'store'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'overlay',
  ]
  const env = {
    PATH: `${process.env['PATH']}:/usr/bin:/usr/sbin:/sbin`,
    HOME: folder,
    TMPDIR: folder,
    BUILDAH_ISOLATION: 'chroot',
    CONTAINERS_REGISTRIES_CONF: registries,
    XDG_CONFIG_HOME: folder,
  }
  const buildah = async (...args: string[]): Promise<string> => {
    const limits = { env, timeout: buildMsMax, maxBuffer: outputBytesMax }
    const [first = '', ...rest] = [...through, 'buildah', ...store, ...args]
    return run(first, rest, limits).then(
      ({ stdout }) => stdout.trim(),
      (error: { stdout: string; stderr: string }) => {
        throw new Error(
          `buildah ${args.join(' ')}\n${error.stdout.slice(-4_000)}\n${error.stderr.slice(-8_000)}`,
        )
      },
    )
  }
  const tag = (target: string): string => `localhost/probe-mesh/${target}:test`
  const close = async (): Promise<void> => {
    // all mounts are in its namespace and end with it
    const exited = once(holder, 'exit')
    holder.stdin.end()
    if (holder.exitCode === null) await exited
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const archives = new Map<string, string>()
  return {
    through,
    load: async (target, archive) => {
      const id = await buildah('pull', '--quiet', `oci-archive:${archive}`)
      await buildah('tag', id, tag(target))
      archives.set(target, archive)
    },
    open: async (target) => {
      const container = await buildah('from', '--pull-never', tag(target))
      const root = await buildah('mount', container)
      const [first = '', ...rest] = [...through, 'du', '--summarize', '--bytes', root]
      const bytes = Number.parseInt((await run(first, rest)).stdout, 10)
      const inspected = JSON.parse(await buildah('inspect', '--type', 'image', tag(target))) as {
        OCIv1: { config: ImageConfig }
      }
      return {
        root,
        config: inspected.OCIv1.config,
        healthcheck: await healthcheckOf(archives.get(target)),
        bytes,
      }
    },
    close,
  }
}

/** The health check that Docker reads from an archive. buildah, like podman, leaves it out. */
const healthcheckOf = async (archive = ''): Promise<string[]> => {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse((await run('tar', ['--extract', '--to-stdout', '--file', archive, path])).stdout)
  const [image] = (await read('manifest.json')) as { Config: string }[]
  const { config } = (await read(image?.Config ?? '')) as { config: { Healthcheck: { Test: string[] } } }
  return config.Healthcheck.Test.slice(1)
}
