import { execFile } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'

const run = promisify(execFile)
const tarMsMax = 600_000

/** A layer in a folder of blobs. */
export type Layer = {
  readonly digest: string
  readonly diffId: string
  readonly size: number
  readonly bytes: number
}

/** What a runtime takes from an image. Times in nanoseconds, as the format has them. */
export type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly WorkingDir: string
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Volumes?: Readonly<Record<string, object>>
  readonly StopSignal: string
  readonly Labels: Readonly<Record<string, string>>
  /** Docker's addition to the format: Docker runs it, podman and Kubernetes do not. */
  readonly Healthcheck: { Test: readonly string[]; Interval: number; Timeout: number; StartPeriod: number }
}

type Described = { mediaType: string; digest: string; size: number }

/** The same files give the same bytes: sorted, of root, at one time. */
const tarFlags = (time: Date): string[] => [
  '--sort=name',
  '--format=gnu',
  `--mtime=@${time.getTime() / 1_000}`,
  '--numeric-owner',
]

/**
 * Writes a layer of a folder's files, which root owns.
 * @param options.owned a folder below it, from its root, that user 10001 owns
 */
export const writeLayer = async (
  folder: string,
  { blobs, time, owned }: { blobs: string; time: Date; owned?: string },
): Promise<Layer> => {
  const tar = join(blobs, `.layer-${process.pid}.tar`)
  const flags = tarFlags(time)
  const except = owned === undefined ? [] : [`--exclude=./${owned}`]
  await run('tar', [...flags, '--owner=0', '--group=0', ...except, '-C', folder, '-cf', tar, '.'], {
    timeout: tarMsMax,
  })
  if (owned !== undefined) {
    await run('tar', [...flags, '--owner=10001', '--group=10001', '-C', folder, '-rf', tar, `./${owned}`])
  }
  const [plain, packed] = [createHash('sha256'), createHash('sha256')]
  await pipeline(
    createReadStream(tar),
    through(plain),
    createGzip({ level: 6 }),
    through(packed),
    createWriteStream(`${tar}.gz`),
  )
  const [digest, bytes] = [packed.digest('hex'), (await stat(tar)).size]
  const size = (await stat(`${tar}.gz`)).size
  await rename(`${tar}.gz`, join(blobs, digest))
  await rm(tar)
  return { digest: `sha256:${digest}`, diffId: `sha256:${plain.digest('hex')}`, size, bytes }
}

const through = (hash: Hash): Transform =>
  new Transform({
    transform: (part: Buffer, _, done) => {
      hash.update(part)
      done(null, part)
    },
  })

const writeBlob = async (blobs: string, mediaType: string, content: object): Promise<Described> => {
  const text = JSON.stringify(content)
  const digest = createHash('sha256').update(text).digest('hex')
  await writeFile(join(blobs, digest), text)
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) }
}

const types = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const

/**
 * Writes an archive of an image for its platforms, which podman, skopeo and docker load.
 * @param options.folder which is empty but for `blobs/sha256`, the folder of the layers
 * @param options.name in a registry, such as probe-mesh/agent
 */
export const writeArchive = async (options: {
  folder: string
  name: string
  version: string
  time: Date
  images: readonly { architecture: string; config: ImageConfig; layers: readonly Layer[] }[]
  out: string
}): Promise<void> => {
  const { folder, name, version, time, images, out } = options
  const blobs = join(folder, 'blobs/sha256')
  const manifests: object[] = []
  const older: object[] = []
  for (const { architecture, config, layers } of images) {
    const own = await writeBlob(blobs, types.config, {
      created: time.toISOString(),
      architecture,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    })
    const manifest = await writeBlob(blobs, types.manifest, {
      schemaVersion: 2,
      mediaType: types.manifest,
      config: own,
      layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
    })
    manifests.push({ ...manifest, platform: { architecture, os: 'linux' } })
    const path = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`
    // of Docker without containerd's store, which reads one platform
    if (older.length === 0) {
      older.push({
        Config: path(own.digest),
        RepoTags: [`${name}:${version}`],
        Layers: layers.map(({ digest }) => path(digest)),
      })
    }
  }
  const index = { schemaVersion: 2, mediaType: types.index, manifests }
  const all = await writeBlob(blobs, types.index, index)
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/${name}:${version}`,
  }
  await writeFile(
    join(folder, 'index.json'),
    JSON.stringify({ ...index, manifests: [{ ...all, annotations }] }),
  )
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(older))
  await run(
    'tar',
    [
      ...tarFlags(time),
      '--owner=0',
      '--group=0',
      '--mode=u=rwX,go=rX',
      '-C',
      folder,
      '-cf',
      out,
      'blobs',
      'index.json',
      'manifest.json',
      'oci-layout',
    ],
    { timeout: tarMsMax },
  )
}

/** The folder of the layers in a new folder of an image. */
export const blobsIn = async (folder: string): Promise<string> => {
  const blobs = join(folder, 'blobs/sha256')
  await mkdir(blobs, { recursive: true })
  return blobs
}
