import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import type { Check } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { toFileCheck } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { accountArbitrary, fileArbitrary } from '../plan/testing.ts'
import { testContext } from '../terminal/testing.ts'
import { modelApi } from './testing.ts'

/** Whole commands over files, against the API over an account as a value. */

const folder = testFolder('service-')
afterAll(() => rm(folder, { recursive: true }))

const environment = { SERVICE_API_KEY: formatApiKey('read_write', new Uint8Array(32)) }

const service = (api: ReturnType<typeof modelApi>) => {
  return async (...args: string[]) => {
    const context = testContext({ environment, fetch: api.fetch })
    const exitCode = await runCommandLine(allCommands, context, args)
    return { exitCode, ...context.written }
  }
}

/** No store keeps half of a character. */
const isKept = (checks: readonly { name: string }[]): boolean =>
  checks.every(({ name }) => name.isWellFormed())
const formatArbitrary = fc.constantFrom('yaml' as const, 'json' as const)

test('applying an export of any account changes nothing', async () => {
  await forAllAsync([accountArbitrary.filter(isKept), formatArbitrary], async (account, format) => {
    const run = service(modelApi(account))
    const file = join(folder, `account.${format}`)
    expect(await run('export', '-f', file)).toMatchObject({ exitCode: 0 })
    const planned = await run('apply', '-f', file, '--dry-run', '--prune')
    expect(planned).toMatchObject({ exitCode: 0, err: '' })
    expect(planned.out.endsWith('\n\nNothing to apply.\n')).toBe(true)
  })
})

test('applying any file twice changes nothing the second time', async () => {
  const pair = fc.tuple(fileArbitrary, accountArbitrary).filter((both) => both.every(isKept))
  await forAllAsync([pair, fc.boolean(), formatArbitrary], async ([declared, account], prune, format) => {
    const checks = declared.filter(({ name }) => !isOfAnotherType(account, name)).map(toFileCheck)
    const api = modelApi(account)
    const run = service(api)
    const file = join(folder, `checks.${format}`)
    await writeFile(file, writeChecksFile(checks, { format, comments: [] }))
    const pruned = prune ? ['--prune', '--yes'] : []
    expect(await run('apply', '-f', file, '--allow-replace', ...pruned)).toMatchObject({
      exitCode: 0,
    })
    const again = await run('apply', '-f', file, '--dry-run', ...pruned)
    expect(again).toMatchObject({ exitCode: 0, err: '' })
    expect(again.out.endsWith('\n\nNothing to apply.\n')).toBe(true)
    const untouched = account.filter(({ type }) => type !== 'http')
    expect(api.account().filter(({ type }) => type !== 'http')).toEqual(untouched)
  })
})

const isOfAnotherType = (account: readonly Check[], name: string): boolean =>
  account.some((check) => check.name === name && check.type !== 'http')
