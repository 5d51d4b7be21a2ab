import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tarGz, type Entry } from './archive.ts'
import type { Artefact, Release } from './release.ts'

const name = 'probe-mesh'

/**
 * The Helm chart as one file, of the version of the release, with the alert rules, which are a link in a checkout.
 * `helm install` takes the file; `helm push` brings it into a registry.
 */
export const makeChart = async ({ root, out, version, time }: Release): Promise<Artefact[]> => {
  const folder = join(root, 'infra/deploy/helm', name)
  const entries: Entry[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    const isManifest = path === join(folder, 'Chart.yaml')
    entries.push({
      name: `${name}${path.slice(folder.length)}`,
      bytes: isManifest ? Buffer.from(versioned(bytes.toString(), version)) : bytes,
      mode: 0o644,
    })
  }
  const file = `${name}-chart-${version}.tgz`
  await writeFile(join(out, file), await tarGz(entries, time))
  return [{ file, kind: 'chart', platform: null, modules: [], packages: {} }]
}

const versioned = (manifest: string, version: string): string =>
  manifest.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`)
