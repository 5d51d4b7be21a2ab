import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildBundle } from '@probe-mesh/infra/start/bundle/build'
import { programEnvironment, programFlags } from '@probe-mesh/infra/testing/processes/program-command'
import type { ChildStart } from './child.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')

/** A script of a bench as one file, and how an installed agent is started. */
export type BundledScript = Required<ChildStart> & { readonly url: URL }

/** Bundles a script of a bench as the agent is, since that is what runs on other machines. */
export const withBundle = async (
  entry: string,
  act: (script: BundledScript) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundle-'))
  try {
    const name = basename(entry, '.ts')
    const out = join(folder, name)
    await buildBundle({ root, program: { name, entry }, out })
    const how = { flags: programFlags('agent'), environment: programEnvironment }
    await act({ url: pathToFileURL(join(out, `${name}.mjs`)), ...how })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
