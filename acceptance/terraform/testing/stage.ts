import type { Check } from '@probe-mesh/contracts/check/check'
import {
  startTestApp,
  type TestAccount,
  type TestApp,
} from '@probe-mesh/control-plane/src/app/testing/test-app'
import { startAttached } from '@probe-mesh/terraform/src/protocol/handshake/testing/attached'
import { createHandlers } from '@probe-mesh/terraform/src/protocol/server/create-handlers'
import { valueCodec } from '@probe-mesh/terraform/src/protocol/values/codec'
import { createProvider } from '@probe-mesh/terraform/provider'
import { expect } from 'vitest'
import { openTerraformFolder, type Ran, type TerraformFolder } from './run-terraform.ts'

/** The full address of `probe-mesh/service`. */
const address = 'registry.terraform.io/probe-mesh/service'

/** The beginning of every configuration. */
export const head = `terraform {
  required_providers {
    service = { source = "probe-mesh/service" }
  }
}
provider "service" {}
`

/** A running control plane. */
export type Plane = { at: TestApp; apiUrl: string }

export const startPlane = async (
  budgetScale = 100,
  config: NonNullable<Parameters<typeof startTestApp>[0]>['config'] = {},
): Promise<Plane> => {
  const at = await startTestApp({ config: { budgetScale, ...config } })
  return { at, apiUrl: `${await at.app.listen({ host: '127.0.0.1', port: 0 })}/v1` }
}

/** An account, and a folder whose Terraform works on it. */
export type Stage = TerraformFolder & {
  readonly account: TestAccount
  /** Calls the API with the account's key. */
  api(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<ReturnType<typeof JSON.parse>>
  checks(): Promise<Check[]>
  /** Replaces the configuration and applies it. */
  apply(configuration: string): Promise<Ran>
  plan(configuration: string): Promise<Ran>
  /** Plans twice, without a change. */
  expectNothingToDo(): Promise<void>
}

/**
 * @param how.providerFolder of the built provider, which Terraform starts; absent: Terraform attaches to one
 * in this process, which is faster
 */
export const openStage = async (
  { at, apiUrl }: Plane,
  how: {
    providerFolder?: string
    mirrorFolder?: string
    apiKey?: (account: TestAccount) => string
    actMsMax?: number
  } = {},
): Promise<Stage> => {
  const account = await at.account('scale')
  const keys = {
    SERVICE_API_URL: apiUrl,
    SERVICE_API_KEY: (how.apiKey ?? (({ writeKey }) => writeKey))(account),
  }
  const attached =
    how.providerFolder === undefined && how.mirrorFolder === undefined
      ? await startAttached({
          address,
          handlers: createHandlers(createProvider({ environment: keys }), {
            codec: valueCodec,
            log: () => {},
          }),
        })
      : null
  const folder = await openTerraformFolder({
    ...how,
    providerFolder: how.providerFolder ?? null,
    environment: {
      ...keys,
      ...(attached === null ? {} : { TF_REATTACH_PROVIDERS: attached.reattach }),
    },
  })
  const api: Stage['api'] = async (method, path, body) =>
    (
      await at.call(method, `/v1${path}`, {
        key: account.writeKey,
        ...(body === undefined ? {} : { body }),
        headers: { 'service-client': 'terraform-provider-service/0.1.0' },
      })
    ).json
  return {
    ...folder,
    account,
    api,
    checks: async () => (await api('GET', '/checks')).checks,
    apply: async (configuration) => {
      await folder.write(head + configuration)
      return folder.terraform('apply', '-auto-approve')
    },
    plan: async (configuration) => {
      await folder.write(head + configuration)
      return folder.terraform('plan')
    },
    expectNothingToDo: async () => {
      for (let n = 0; n < 2; n++) {
        const { exitCode, out, err } = await folder.terraform('plan', '-detailed-exitcode')
        expect(exitCode, `${out}\n${err}`).toBe(0)
      }
    },
    close: async () => {
      attached?.close()
      await folder.close()
    },
  }
}

export const expectOk = ({ exitCode, out, err }: Ran): void => {
  expect(exitCode, `${out}\n${err}`).toBe(0)
}

/** The errors and warnings of Terraform, without frames and line breaks. */
export const flat = ({ out, err }: Ran): string =>
  `${out}\n${err}`.replace(/[│╷╵]/g, ' ').replace(/\s+/g, ' ')
