import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { Check } from '@probe-mesh/contracts/check/check'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { createKey } from '@probe-mesh/control-plane/accounts/keys'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../judge/world/random.ts'
import { startKillablePlane, type KillablePlane } from '../terraform/testing/killable-plane.ts'

// S-218, S-2616, S-2622: whatever interrupts a replace, the account has the old check or the new one

const roundsOfEach = 40
const names = ['a', 'b', 'c', 'd']
const service = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
const random = createRandom(20_261_128)

let plane: KillablePlane
let sql: Sql
const folder = testFolder('interrupted-')
let apiUrl: string
beforeAll(async () => {
  plane = await startKillablePlane({ BUDGET_SCALE: '1' })
  sql = connectPostgres(plane.databaseUrl, { connectionsMax: 2 })
  apiUrl = `http://127.0.0.1:${plane.port}/v1`
}, 120_000)
afterAll(async () => {
  await sql?.end()
  await plane?.close()
})

const urlOf = (name: string, version: number): string => `https://example.com/${name}/${version}`

/** A new account with its checks: each round has a budget of its own. */
const openAccount = async (round: number) => {
  const id = uuidv7(Date.now())
  await insertAccount(sql, { id, name: `round ${round}`, tier: 'scale', createdAtMs: Date.now() })
  const made = await createKey({ sql, now: Date.now }, { accountId: id, name: 'test', scope: 'read_write' })
  if (isRefusal(made)) throw new Error(made.message)
  const { apiKey } = made
  const client = createApiClient({ apiUrl, apiKey })
  for (const name of names) {
    const body = { name, url: urlOf(name, 1), intervalSeconds: 3_600 }
    expect(await client.call('createCheck', { body })).toMatchObject({ ok: true })
  }
  const file = join(folder, `${round}.json`)
  const checks = names.map((name) => ({ name, url: urlOf(name, 2), intervalSeconds: 3_600 }))
  await writeFile(file, JSON.stringify({ version: 1, checks }))
  const list = async (): Promise<Check[]> => {
    const listed = await client.call('listChecks', {})
    if (!listed.ok) throw new Error(listed.problem.message)
    return listed.value.checks
  }
  return { apiKey, client, list, apply: () => startApply(file, apiKey) }
}
type Account = Awaited<ReturnType<typeof openAccount>>

/** `apply`, from the moment at which it printed its plan: what follows are the replaces. */
const startApply = async (file: string, apiKey: string) => {
  const child = spawn(process.execPath, [service, 'apply', '-f', file, '--allow-replace'], {
    env: { PATH: process.env['PATH'], SERVICE_API_URL: apiUrl, SERVICE_API_KEY: apiKey },
  })
  let [out, err] = ['', '']
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), ended])
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    end: async () => {
      await ended
      return { exitCode: child.exitCode, signal: child.signalCode, out, err }
    },
  }
}

/** Leaves so many writes of the minute. Refused writes count as well. */
const spendWrites = async ({ client }: Account, left: number): Promise<void> => {
  for (;;) {
    const answer = await client.call('createCheck', { body: { name: ' ', url: '' } })
    const writes = /"writes";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
    if (Number(writes) <= left) return
  }
}

type Ended = { exitCode: number | null; signal: NodeJS.Signals | null; out: string; err: string }
type Interruption = (account: Account, instantMs: number) => Promise<Ended>

const bySignal =
  (signal: NodeJS.Signals): Interruption =>
  async (account, instantMs) => {
    const applying = await account.apply()
    await elapse(instantMs)
    applying.kill(signal)
    return applying.end()
  }

const interruptions: Readonly<Record<string, Interruption>> = {
  SIGINT: bySignal('SIGINT'),
  SIGTERM: bySignal('SIGTERM'),
  'kill -9': bySignal('SIGKILL'),
  'API killed': async (account, instantMs) => {
    const applying = await account.apply()
    await elapse(instantMs)
    await plane.process.kill()
    await plane.process.start()
    return applying.end()
  },
  'budget spent': async (account, instantMs) => {
    await spendWrites(account, random.whole(0, names.length - 1))
    return bySignal(random.pick(['SIGINT', 'SIGKILL'] as const))(account, instantMs)
  },
}

test(
  `${roundsOfEach * Object.keys(interruptions).length} interrupted replaces lose no check`,
  { timeout: 3_600_000 },
  async (context) => {
    const undisturbed = await openAccount(0)
    const applying = await undisturbed.apply()
    const fromMs = Date.now()
    expect(await applying.end()).toMatchObject({ exitCode: 0 })
    const applyMs = Date.now() - fromMs
    console.info(`an undisturbed apply takes ${applyMs} ms after its plan`)

    const rows: string[] = []
    let round = 0
    let lost = 0
    for (const [kind, interrupt] of Object.entries(interruptions)) {
      const counts = { none: 0, some: 0, all: 0 }
      for (let n = 0; n < roundsOfEach; n++) {
        const account = await openAccount(++round)
        const before = await account.list()
        const ended = await interrupt(account, random.between(0, applyMs))
        const after = await account.list()
        const found = names.filter((name) => after.some((check) => check.name === name))
        lost += names.length - found.length
        expect(after.map(({ name }) => name).toSorted(), `${kind} ${round}: ${ended.err}`).toEqual(names)
        const replaced = after.filter(({ id }) => !before.some((old) => old.id === id))
        for (const check of after) {
          const isNew = replaced.includes(check)
          expect(check.url).toBe(urlOf(check.name, isNew ? 2 : 1))
        }
        counts[replaced.length === 0 ? 'none' : replaced.length < names.length ? 'some' : 'all'] += 1
        judgeReport(kind, ended, replaced.length)
      }
      rows.push(
        `${kind.padEnd(13)} ${counts.none} before, ${counts.some} between, ${counts.all} after the replaces`,
      )
    }
    await recordFigure(context, `${round} interrupted runs, checks lost: ${lost}\n${rows.join('\n')}`)
    expect(lost).toBe(0)
  },
)

/** An API that comes back ends no run; a signal that was heard is reported with what was done and what was not. */
const judgeReport = (kind: string, { exitCode, signal, err }: Ended, replaced: number): void => {
  if (kind === 'API killed') {
    expect([exitCode, replaced], err).toEqual([0, names.length])
  } else if (signal === null && exitCode !== 0) {
    expect(exitCode).toBe(1)
    expect(err).toMatch(/^Stopped: \d of 4 steps applied\.$/m)
    expect(err).toMatch(/^Interrupted: /m)
  }
}
