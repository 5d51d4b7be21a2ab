import { join } from 'node:path'
import { openTerraformFolder } from '@probe-mesh/acceptance/terraform/testing/run-terraform'
import type { Ran } from '@probe-mesh/acceptance/terraform/testing/run-terraform'
import { configurationOf } from './configurations.ts'
import type { Kind } from './configurations.ts'
import type { CpuRecord } from './provider-cpu.ts'
import { nodeFirst } from './start-up.ts'

/** What a plan finds: everything as it is written, or nothing of it. */
export type Task = 'noop' | 'create'

/** A folder with so many resources of a kind, of which all exist or none. */
export type Stage = {
  /** @throws Error where it finds other than its task */
  plan(): Promise<void>
  /** The same, with what the provider takes written down. */
  planRecorded(): Promise<void>
  close(): Promise<void>
}

/** Where the provider is, and what it works on: an account that nothing else writes to. */
export type Access = { providerFolder: string; apiUrl: string; apiKey: string; record: CpuRecord }

/** What `terraform plan -detailed-exitcode` ends with. */
const exitCodes = { noop: 0, create: 2 } as const

export const openStage = async (
  kind: Kind,
  task: Task,
  count: number,
  { providerFolder, apiUrl, apiKey, record }: Access,
): Promise<Stage> => {
  const environment = { PATH: nodeFirst(), SERVICE_API_URL: apiUrl, SERVICE_API_KEY: apiKey }
  const plain = await openTerraformFolder({ providerFolder, environment })
  const recorded = await openTerraformFolder({
    providerFolder,
    environment: { ...environment, ...record.environment },
  })
  const close = async (): Promise<void> => {
    await plain.close()
    await recorded.close()
  }
  const what = `${task} of ${count}, ${kind}`
  const planArgs = ['plan', '-detailed-exitcode']
  try {
    await plain.write(configurationOf(kind, count))
    await recorded.write(configurationOf(kind, count))
    if (task === 'noop') expectCode(await plain.terraform('apply', '-auto-approve'), 0, what)
  } catch (error) {
    await close()
    throw error
  }
  return {
    plan: async () => expectCode(await plain.terraform(...planArgs), exitCodes[task], what),
    planRecorded: async () => {
      const state = `-state=${join(plain.folder, 'terraform.tfstate')}`
      expectCode(await recorded.terraform(...planArgs, state), exitCodes[task], what)
    },
    close,
  }
}

const expectCode = ({ exitCode, out, err }: Ran, expected: number, what: string): void => {
  if (exitCode !== expected) throw new Error(`${what} ended with ${exitCode}\n${out}\n${err}`)
}
