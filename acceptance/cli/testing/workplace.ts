import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Check } from '@probe-mesh/contracts/check/check'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import {
  accepted,
  typedChecks,
  writingContext,
} from '@probe-mesh/control-plane/src/app/testing/operation-context'
import type { TestAccount, TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { runService, type Ran, type RunHow } from './run-service.ts'

/** An account, and a folder with its files of checks. */
export type Workplace = {
  readonly folder: string
  readonly account: TestAccount
  /** Runs `service` in the folder with the account's key. */
  run(...args: string[]): Promise<Ran>
  /** The same with another key or none, other input, or another Node. */
  runWith(how: Omit<RunHow, 'environment' | 'cwd'> & { apiKey?: string }, ...args: string[]): Promise<Ran>
  write(text: string, name?: string): Promise<void>
  /** Writes `checks.yaml`. @param checks created by `fileCheck` */
  file(...checks: string[]): Promise<void>
  list(): Promise<Check[]>
  names(): Promise<string[]>
  create(name: string, more?: object): Promise<Check>
  /** A write that is refused, and counted. */
  refusedWrite(): Promise<void>
  createTyped(type: keyof typeof typedChecks, name: string): Promise<Check>
  close(): Promise<void>
}

/** Types that `apply` never changes (S-2614). */
export const otherTypes = ['heartbeat', 'tcp', 'dns', 'smtp', 'multistep'] as const

/** A check of a file. @param fields lines besides name and url */
export const fileCheck = (name: string, ...fields: string[]): string =>
  `${[`  - name: ${name}`, `url: https://${name}.example.com/`, ...fields].join('\n    ')}\n`

export const openWorkplace = async (
  { bin, at, apiUrl }: { bin: string; at: TestApp; apiUrl: string },
  account: TestAccount,
): Promise<Workplace> => {
  const folder = await mkdtemp(join(tmpdir(), 'service-'))
  const key = account.writeKey
  const runWith: Workplace['runWith'] = ({ apiKey = '', ...how }, ...args) =>
    runService(bin, args, {
      ...how,
      cwd: folder,
      environment: { SERVICE_API_URL: apiUrl, SERVICE_API_KEY: apiKey },
    })
  const write: Workplace['write'] = (text, name = 'checks.yaml') => writeFile(join(folder, name), text)
  const list: Workplace['list'] = async () => (await at.call('GET', '/v1/checks', { key })).json.checks
  return {
    folder,
    account,
    runWith,
    run: (...args) => runWith({ apiKey: key }, ...args),
    write,
    file: (...checks) => write(`version: 1\nchecks:${checks.length === 0 ? ' []' : ''}\n${checks.join('')}`),
    list,
    names: async () => (await list()).map(({ name }) => name).toSorted(),
    create: async (name, more = {}) => {
      const body = { name, url: `https://${name}.example.com/`, ...more }
      return (await at.call('POST', '/v1/checks', { key, body })).json
    },
    refusedWrite: async () => {
      await at.call('POST', '/v1/checks', { key, body: {} })
    },
    createTyped: async (type, name) =>
      accepted(
        await createTypedCheck(
          writingContext(at.sql),
          { accountId: account.id, actor: { kind: 'operator' } },
          { ...typedChecks[type].body, name },
        ),
      ),
    close: () => rm(folder, { recursive: true }),
  }
}
