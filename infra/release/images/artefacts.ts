import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { licencesOf } from '@probe-mesh/cli/package/licences'
import { nodeEnvironment } from '../../start/launch/programs.mjs'
import { billOf, readLock } from '../bill.ts'
import { installedLicences, installPackages } from '../installed.ts'
import { architectures, nodeFor, platforms, type Platform } from '../nodes.ts'
import type { Artefact, Release } from '../release.ts'
import { stagePrograms } from '../stage.ts'
import { openDebian, type DebianArchive } from './debian.ts'
import { images, type Image, type ImageName } from './images.ts'
import { blobsIn, writeArchive, writeLayer, type ImageConfig, type Layer } from './oci.ts'

/** What Node needs, and what a program asks the system for: authorities, zones, names of ports. */
const basePackages = [
  'base-files',
  'ca-certificates',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'netbase',
  'tzdata',
]
const healthcheck = 'infra/deploy/docker/healthcheck.mjs'
const app = 'app'
const documents = 'usr/share/doc/probe-mesh'

/** What images of one platform share. */
type Base = { platform: Platform; debian: DebianArchive; versions: Record<string, string>; layers: Layer[] }

/**
 * Images as archives that podman, skopeo and docker load, each for all platforms. They have no shell and no package
 * manager.
 * @param options.names, .on some of them
 * @throws Error where this is not a Debian 12 that reaches its archive
 */
export const makeImages = async (
  release: Release,
  options: { names?: readonly ImageName[]; on?: readonly Platform[] } = {},
): Promise<Artefact[]> => {
  const { names = Object.keys(images) as ImageName[], on = platforms } = options
  const folder = await mkdtemp(join(tmpdir(), 'images-'))
  try {
    await mkdir(release.out, { recursive: true })
    const blobs = await blobsIn(join(folder, 'base'))
    const bases: Base[] = []
    for (const platform of on) bases.push(await makeBase(release, { platform, folder, blobs }))
    const artefacts: Artefact[] = []
    for (const name of names) artefacts.push(await makeImage(release, { name, bases, blobs, folder }))
    return artefacts
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Two layers that every image has: Debian's libraries, and Node with the health check. */
const makeBase = async (
  { root, time }: Release,
  { platform, folder, blobs }: { platform: Platform; folder: string; blobs: string },
): Promise<Base> => {
  const apt = join(folder, `apt-${platform}`)
  await mkdir(apt)
  const debian = await openDebian(platform, apt)
  const system = join(folder, `system-${platform}`)
  await mkdir(system)
  const versions = await debian.unpack(basePackages, system)
  await writeSystem(system)
  const runtime = join(folder, `runtime-${platform}`)
  await place(runtime, 'usr/bin/node', await readFile(await nodeFor(platform, root)), 0o755)
  await place(runtime, `${app}/${healthcheck}`, await readFile(join(root, healthcheck)))
  const layers = [await writeLayer(system, { blobs, time }), await writeLayer(runtime, { blobs, time })]
  return { platform, debian, versions, layers }
}

/** What the scripts of Debian's packages would write: the user, and one file of all authorities. */
const writeSystem = async (system: string): Promise<void> => {
  const user = 'mesh:x:10001:10001::/nonexistent:/usr/sbin/nologin\n'
  await place(system, 'etc/passwd', `root:x:0:0:root:/root:/usr/sbin/nologin\n${user}`)
  await place(system, 'etc/group', 'root:x:0:\nmesh:x:10001:\n')
  await place(system, 'etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
  const authorities = join(system, 'usr/share/ca-certificates/mozilla')
  const texts: string[] = []
  for (const file of (await readdir(authorities)).toSorted())
    texts.push(await readFile(join(authorities, file), 'utf8'))
  await place(system, 'etc/ssl/certs/ca-certificates.crt', texts.join(''))
  await mkdir(join(system, 'tmp'), { recursive: true })
  await chmod(join(system, 'tmp'), 0o1777)
}

const makeImage = async (
  release: Release,
  of: { name: ImageName; bases: readonly Base[]; blobs: string; folder: string },
): Promise<Artefact> => {
  const { root, out, version, time } = release
  const image: Image = images[of.name]
  const own = join(of.folder, of.name)
  const blobs = await blobsIn(own)
  const made: { architecture: string; config: ImageConfig; layers: Layer[] }[] = []
  const file = `probe-mesh-${of.name}-${version}.oci.tar`
  const contents: Artefact = { file, kind: 'image', platform: 'linux-x64', modules: [], packages: {} }
  let artefact = contents
  for (const base of of.bases) {
    const layers = [...base.layers]
    let system = base.versions
    if (image.debian.length > 0) {
      const more = join(own, `debian-${base.platform}`)
      await mkdir(more)
      const names = (await base.debian.closure(image.debian)).filter((one) => !basePackages.includes(one))
      system = { ...system, ...(await base.debian.unpack(names, more)) }
      layers.push(await writeLayer(more, { blobs, time }))
    }
    const folder = join(own, base.platform)
    await mkdir(join(folder, app), { recursive: true })
    const { modules, packages } = await writePrograms(root, { image, folder, platform: base.platform })
    artefact = { ...contents, modules, packages, system }
    await place(folder, `${documents}/sbom.cdx.json`, billOf(release, [artefact], await readLock(root)))
    for (const text of ['LICENSE', 'NOTICE'])
      await place(folder, `${documents}/${text}`, await readFile(join(root, text)))
    const owned = image.data?.slice(1)
    if (owned !== undefined) await mkdir(join(folder, owned), { recursive: true })
    layers.push(await writeLayer(folder, { blobs, time, ...(owned === undefined ? {} : { owned }) }))
    const architecture = architectures[base.platform]
    made.push({ architecture, config: configOf(release, of.name, image), layers })
    for (const { digest } of base.layers) {
      const blob = digest.slice('sha256:'.length)
      await cp(join(of.blobs, blob), join(blobs, blob))
    }
  }
  await writeArchive({
    folder: own,
    name: `probe-mesh/${of.name}`,
    version,
    time,
    images: made,
    out: join(out, file),
  })
  await rm(own, { recursive: true })
  return artefact
}

const writePrograms = async (
  root: string,
  { image, folder, platform }: { image: Image; folder: string; platform: Platform },
): Promise<Pick<Artefact, 'modules' | 'packages'>> => {
  const commands = Object.entries(image.commands)
  const programs = [image.program, ...commands.map(([, { program }]) => program)]
  const { shipped, modules } = await stagePrograms(root, programs, join(folder, app))
  const packages: Record<string, string> = image.hasPackages
    ? Object.assign({}, ...shipped.map((program) => ({ ...program.packages, ...program.optional })))
    : {}
  if (image.hasPackages) await installPackages(root, packages, { platform, folder: join(folder, app) })
  for (const [command, { program, source }] of commands) {
    const file = `/${app}/program/${program}/${program}.mjs`
    const start = `process.argv[1] = '${file}'\nimport('${file}')\n`
    await place(folder, `usr/bin/${command}`, `#!/usr/bin/node\n${start}`, 0o755)
    // the command of older images
    await place(folder, `${app}/${source}`, start)
  }
  const licences = await licencesOf(modules.map((path) => join(root, path)))
  await place(folder, `${documents}/LICENCES.txt`, `${licences}${await installedLicences(root, packages)}`)
  return { modules, packages }
}

const seconds = (count: number): number => count * 1_000_000_000

const configOf = ({ version, commit, time }: Release, name: ImageName, image: Image): ImageConfig => {
  const environment = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_ENV: 'production',
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning --max-semi-space-size=8',
    ...nodeEnvironment,
    ...image.environment,
  }
  return {
    User: '10001:10001',
    Env: Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
    Entrypoint: [
      '/usr/bin/node',
      '--enable-source-maps',
      `/${app}/program/${image.program}/${image.program}.mjs`,
    ],
    WorkingDir: `/${app}`,
    ExposedPorts: { [`${image.port}/tcp`]: {} },
    ...(image.data === null ? {} : { Volumes: { [image.data]: {} } }),
    StopSignal: 'SIGTERM',
    Labels: {
      'org.opencontainers.image.title': `probe-mesh/${name}`,
      'org.opencontainers.image.description': image.description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.created': time.toISOString(),
      ...(commit === null ? {} : { 'org.opencontainers.image.revision': commit }),
    },
    Healthcheck: {
      Test: ['CMD', 'node', `/${app}/${healthcheck}`],
      Interval: seconds(10),
      Timeout: seconds(5),
      StartPeriod: seconds(image.startSeconds),
    },
  }
}

const place = async (
  folder: string,
  path: string,
  content: string | Uint8Array,
  mode = 0o644,
): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
  await chmod(join(folder, path), mode)
}
