import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import type { Writer } from '../accounts/operations/context.ts'
import { createCheck, createTypedCheck } from './create-check.ts'
import { editTypedCheck, replaceSteps } from './edit-typed-check.ts'
import { aStep, accepted, writingContext } from '../app/testing/operation-context.ts'
import { tryCheck } from './run-check.ts'

/** 127.0.0.0/8 is open to the checks of one account alone. */

let opened: Writer
let other: Writer
let context: ReturnType<typeof writingContext>
const at = useTestApp()
beforeAll(async () => {
  const writer = async (): Promise<Writer> => ({
    accountId: (await at.account('scale')).id,
    actor: { kind: 'operator' },
  })
  opened = await writer()
  other = await writer()
  const parsed = parseAccountAllow([`127.0.0.0/8@${opened.accountId}`])
  if (!parsed.ok) throw new Error(parsed.problems.join())
  context = writingContext(at.sql, { targetAllow: parsed.allow })
})

const inside = 'http://127.0.0.1:8080/'
const http = { name: 'a', url: inside, intervalSeconds: 300 }
const tcp = { type: 'tcp', name: 'a', settings: { host: '127.0.0.1', port: 5432 } }
const steps = [{ ...aStep, url: inside }]
const codeOf = (result: object): string => (isRefusal(result) ? result.refused : 'saved')

test.each<[what: string, save: (writer: Writer) => Promise<object>]>([
  ['an http check', (writer) => createCheck(context, writer, { body: http as never })],
  ['a tcp check', (writer) => createTypedCheck(context, writer, tcp)],
  ['a journey', (writer) => createTypedCheck(context, writer, { type: 'multistep', name: 'a', steps })],
  [
    'an edit',
    async (writer) => {
      const settings = { host: 'db.example.org', port: 5432 }
      const made = accepted(await createTypedCheck(context, writer, { ...tcp, settings }))
      const body = { settings: tcp.settings }
      return editTypedCheck(context, writer, { checkId: made.id, body })
    },
  ],
  [
    'new steps',
    async (writer) => {
      const body = { type: 'multistep', name: 'a', steps: [aStep] }
      const made = accepted(await createTypedCheck(context, writer, body))
      return replaceSteps(context, writer, { checkId: made.id, body: { steps } })
    },
  ],
  [
    'a trial',
    (writer) => {
      const trying = {
        ...context,
        rules: { ...context.rules, vantage: 'local' as const },
        runs: {
          request: async () => ({ readings: [], unanswered: [] }) as never,
          reserveTrial: () => ({ release: () => undefined }),
        },
      }
      return tryCheck(trying, writer, http)
    },
  ],
])('%s of that account is saved, and of another account refused', async (_, save) => {
  expect(codeOf(await save(opened))).toBe('saved')
  expect(codeOf(await save(other))).toBe('SV-5001')
})
