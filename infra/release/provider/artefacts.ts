import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { bundleProvider } from '@probe-mesh/terraform/package/bundle'
import { zipOf } from '@probe-mesh/terraform/package/zip'
import { platforms } from '../nodes.ts'
import type { Artefact, Release } from '../release.ts'
import { packFor } from '../single-file/artefacts.ts'

/** Terraform's names of platforms. */
const terraformNames = { 'linux-x64': 'linux_amd64', 'linux-arm64': 'linux_arm64' } as const

/** The provider as one executable for each platform, in the archives that a mirror or a registry has. */
export const makeProvider = async (release: Release): Promise<Artefact[]> => {
  const { root, out, providerVersion, time } = release
  const name = 'terraform-provider-service'
  const parts = await bundleProvider('src/main.ts', 'esm')
  const modules = new Map(parts.map(({ fileName, code }) => [fileName, code]))
  const sources = parts.flatMap((part) => part.moduleIds).map((module) => relative(root, module))
  const artefacts: Artefact[] = []
  await mkdir(out, { recursive: true })
  for (const platform of platforms) {
    const executable = join(out, `.${name}-${platform}`)
    await packFor(root, { modules, start: 'main.js', flags: [] }, { platform, out: executable })
    const file = `${name}_${providerVersion}_${terraformNames[platform]}.zip`
    const entry = { name: `${name}_v${providerVersion}`, bytes: await readFile(executable), mode: 0o755 }
    await writeFile(join(out, file), await zipOf([entry], time))
    await rm(executable)
    artefacts.push({ file, kind: 'terraform-provider', platform, modules: sources, packages: {} })
  }
  return artefacts
}
