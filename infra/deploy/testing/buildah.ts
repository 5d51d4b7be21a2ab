import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodePackage } from '../../start/launch/decisions.mjs'
import { findDebianProgram } from '../../testing/debian-program.ts'
import { findDebianRoot } from './debian-root.ts'

const run = promisify(execFile)
const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const dockerfile = join(checkout, 'infra/deploy/docker/probe-mesh.Dockerfile')
const buildMsMax = 1_500_000
const outputBytesMax = 32 * 1024 * 1024
const npmVersion = '11.6.2'

/**
 * buildah restarts itself without its environment, so its unpacked files must be mounted at the system's
 * paths.
 */
const asInstalled = `
if [ -d "$1/usr" ]; then mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr; fi
echo there
exec cat`

/** The image's configuration for its start. */
type ImageConfig = { Env: string[]; Entrypoint: string[]; User: string }

/** Images of the Dockerfile, built by Debian's buildah in a temporary folder. */
export type Images = {
  /** @returns the duration, and the size according to buildah */
  build(target: string): Promise<{ ms: number; size: string }>
  /** The command prefix that gives access to the roots of images. */
  readonly through: readonly string[]
  /** The readable root of an image, with its configuration. */
  open(target: string): Promise<{ root: string; config: ImageConfig; healthcheck: string[] }>
  close(): Promise<void>
}

/** @param base the base image of the Dockerfile, assembled here from Debian packages and npm's Node */
export const createImages = async (base: string): Promise<Images> => {
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
  try {
    const container = await buildah('from', 'scratch')
    const archive = join(folder, 'root.tar')
    await run('tar', ['-C', await findDebianRoot('debian-12', []), '--exclude=./dev/*', '-cf', archive, '.'])
    await buildah('add', '--quiet', container, archive, '/')
    await rm(archive)
    await buildah('copy', '--quiet', container, await nodeOfNpm(folder), '/')
    await buildah(
      'config',
      '--env',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      container,
    )
    await buildah('commit', '--quiet', '--rm', container, `docker.io/library/${base}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    through,
    build: async (target) => {
      const began = performance.now()
      await buildah(
        'bud',
        '--isolation',
        'chroot',
        '--pull-never',
        '--layers',
        '--format',
        'docker',
        '--file',
        dockerfile,
        '--ignorefile',
        `${dockerfile}.dockerignore`,
        '--target',
        target,
        '--tag',
        tag(target),
        checkout,
      )
      const ms = performance.now() - began
      return { ms, size: await buildah('images', '--format', '{{.Size}}', tag(target)) }
    },
    open: async (target) => {
      const inspected = JSON.parse(await buildah('inspect', '--type', 'image', tag(target))) as {
        Docker: { config: ImageConfig & { Healthcheck: { Test: string[] } } }
      }
      const { config } = inspected.Docker
      const container = await buildah('from', '--pull-never', tag(target))
      const root = await buildah('mount', container)
      return { root, config, healthcheck: config.Healthcheck.Test.slice(1) }
    },
    close,
  }
}

/** The content of /usr/local in the base: Node from our lockfile, npm, and the registry of this machine. */
const nodeOfNpm = async (folder: string): Promise<string> => {
  const { platform, arch } = process
  const name = nodePackage({ platform, arch, glibc: true })
  if (name === null) throw new Error(`npm has no Node for ${platform}-${arch}`)
  const [brought, root] = [join(folder, 'node'), join(folder, 'base')]
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await mkdir(brought)
  for (const file of ['package.json', 'package-lock.json']) {
    await cp(join(checkout, 'infra/start/node', file), join(brought, file))
  }
  await run('npm', ['ci', ...quiet, '--prefix', brought], { cwd: brought })
  const local = join(root, 'usr/local')
  await mkdir(join(local, 'bin'), { recursive: true })
  await cp(join(brought, 'node_modules', name, 'bin/node'), join(local, 'bin/node'))
  await run('npm', ['install', '--global', ...quiet, '--prefix', local, `npm@${npmVersion}`], {
    cwd: folder,
  })
  const registry = (await run('npm', ['config', 'get', 'registry'])).stdout.trim()
  const bundle = 'usr/local/share/authorities.pem'
  await mkdir(join(root, dirname(bundle)), { recursive: true })
  await writeFile(join(root, bundle), await readFile('/etc/ssl/certs/ca-certificates.crt'))
  await mkdir(join(local, 'etc'))
  await writeFile(join(local, 'etc/npmrc'), `registry=${registry}\ncafile=/${bundle}\n`)
  return root
}
