import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesOf, tarGz } from './archive.ts'
import type { Artefact, Release } from './release.ts'

const name = 'probe-mesh'

/**
 * The Helm chart as one file, of the version of the release, with the alert rules, which are a link in a checkout.
 * `helm install` takes the file; `helm push` brings it into a registry.
 */
export const makeChart = async ({ root, out, version, time }: Release): Promise<Artefact[]> => {
  const files = await entriesOf(join(root, 'infra/deploy/helm', name), name)
  const entries = files.map((entry) =>
    entry.name === `${name}/Chart.yaml` ? { ...entry, bytes: versioned(entry.bytes, version) } : entry,
  )
  const file = `${name}-chart-${version}.tgz`
  await writeFile(join(out, file), await tarGz(entries, time))
  return [{ file, kind: 'chart', platform: null, modules: [], packages: {} }]
}

const versioned = (manifest: Uint8Array, version: string): Buffer =>
  Buffer.from(
    Buffer.from(manifest)
      .toString()
      .replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`),
  )
