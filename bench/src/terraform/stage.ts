import { openTerraformFolder, type Ran } from '@probe-mesh/acceptance/terraform/testing/run-terraform'
import { nodeFirst } from './start-up.ts'

/** What a plan finds: every resource as it is declared, or none of them. */
export type Task = 'noop' | 'create'

/** A folder with a number of resources: our checks, or Terraform's own `terraform_data`. */
export type Stage = {
  readonly kind: 'check' | 'data'
  /** @throws Error where the plan is not that of its task */
  plan(): Promise<void>
  close(): Promise<void>
}

/** The exit codes of `terraform plan -detailed-exitcode`. */
const exitCodes = { noop: 0, create: 2 } as const

/** @param access the provider, and the key of an account that nothing else writes to */
export const openStage = async (
  kind: Stage['kind'],
  task: Task,
  count: number,
  { providerFolder, apiUrl, apiKey }: { providerFolder: string; apiUrl: string; apiKey: string },
): Promise<Stage> => {
  const environment = { PATH: nodeFirst(), SERVICE_API_URL: apiUrl, SERVICE_API_KEY: apiKey }
  const folder = await openTerraformFolder({ providerFolder, environment })
  const what = `${task} of ${count}, ${kind}`
  try {
    await folder.write(kind === 'check' ? checks(count) : data(count))
    if (task === 'noop') expectCode(await folder.terraform('apply', '-auto-approve'), 0, what)
  } catch (error) {
    await folder.close()
    throw error
  }
  return {
    kind,
    plan: async () => expectCode(await folder.terraform('plan', '-detailed-exitcode'), exitCodes[task], what),
    close: () => folder.close(),
  }
}

const expectCode = ({ exitCode, out, err }: Ran, expected: number, what: string): void => {
  if (exitCode !== expected) throw new Error(`${what} ended with ${exitCode}\n${out}\n${err}`)
}

const checks = (count: number): string => `terraform {
  required_providers {
    service = { source = "probe-mesh/service" }
  }
}
provider "service" {}
resource "service_check" "all" {
  count            = ${count}
  name             = "check \${count.index}"
  url              = "https://service-\${count.index}.example.com/health"
  interval_seconds = 60
}
`

const data = (count: number): string => `resource "terraform_data" "all" {
  count = ${count}
  input = {
    name             = "check \${count.index}"
    url              = "https://service-\${count.index}.example.com/health"
    interval_seconds = 60
  }
}
`
