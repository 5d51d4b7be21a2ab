import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountInputs, good, offlineInputs } from '../cli/testing/wrong-inputs.ts'
import { head, openStage, startPlane, type Plane, type Stage } from './testing/stage.ts'

/** What a check may be refused with is refused by `validate` or `plan`, before the first write. */

const patience = { timeout: 240_000 }
const monitors = 2
let plane: Plane
let own: Stage
beforeAll(async () => {
  const denied = parseDenyList(['denied.example.org'])
  if (!denied.ok) throw new Error('the deny list of the test is wrong')
  plane = await startPlane(1_000, {
    targetAllow: allowNothing,
    blockedTargets: denied.deny,
    targetRequestsPerMinute: 8,
    tiers: { ...tiersDefault, scale: { ...tiersDefault.scale, monitors, intervalSecondsMin: 60 } },
  })
  own = await openStage(plane)
})
afterAll(async () => {
  await own?.close()
  await plane?.at.close()
})

/** Terraform converts these values itself, or a set has no element twice. */
const converted = new Set([
  'name.type',
  'assertionStatusMin.type',
  'assertionStatusMax.type',
  'assertionBodyValue.type',
  'assertionJsonPath.type',
  'regions_twice',
])
/** An imported check may have no URL: the plan knows. */
const onlyPlanned = new Set(['url.type'])

const snakeOf = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const hclOf = (name: string, fields: object): string =>
  [
    `resource "service_check" "${name}" {`,
    ...Object.entries(fields).flatMap(([field, value]) =>
      value === undefined ? [] : [`  ${snakeOf(field)} = ${JSON.stringify(value)}`],
    ),
    '}\n',
  ].join('\n')

type Said = { severity: string; summary: string; detail: string; range?: { start: { line: number } } }

/** The errors of a command, each with the resource of the file that it points to. */
const errorsOf = (out: string, file: string) => {
  const lines = file.split('\n')
  // `validate` writes one object, `plan` one a line
  const read = out.startsWith('{\n')
    ? [JSON.parse(out)]
    : out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
  const said: Said[] = read.flatMap(({ diagnostics, diagnostic }) => diagnostics ?? diagnostic ?? [])
  return said
    .filter(({ severity }) => severity === 'error')
    .map(({ summary, detail, range }) => {
      const above = lines.slice(0, range?.start.line ?? 0).findLast((line) => line.startsWith('resource'))
      return { of: above?.split('"')[3] ?? '', text: `${summary}: ${detail}` }
    })
}

const rows: string[] = []
const row = (rule: string, validate: boolean, plan: boolean): void => {
  const words = [validate, plan].map((isRefused) => (isRefused ? 'refused' : 'passes').padEnd(9))
  rows.push(`${rule.padEnd(34)} ${words.join(' ')}`.trimEnd())
}

test('validate refuses every wrong input at its resource, all at once', patience, async () => {
  const rules = Object.entries(offlineInputs)
  const file = `${head}${rules.map(([, fields], n) => hclOf(`r${n}`, { name: 'a', ...good, ...fields })).join('')}`
  await own.write(`${file}${hclOf('sound', { name: 'sound', ...good })}`)
  const { out, exitCode } = await own.terraform('validate', '-json')
  expect(exitCode).toBe(1)
  const refused = new Set(errorsOf(out, `${file}\n`).map(({ of }) => of))
  expect(refused).not.toContain('sound')
  for (const [n, [rule]] of rules.entries()) {
    const passes = converted.has(rule) || onlyPlanned.has(rule)
    expect(refused.has(`r${n}`), rule).toBe(!passes)
    if (!converted.has(rule)) row(rule, !passes, true)
  }
  await own.write(`${head}${hclOf('web', { name: 'web' })}`)
  const planned = await own.terraform('plan', '-json')
  expect(planned.exitCode).toBe(1)
  expect(errorsOf(planned.out, `${head}${hclOf('web', { name: 'web' })}`)).toMatchObject([{ of: 'web' }])
})

test('plan refuses what operator, plan and account decide, at its resource', patience, async () => {
  for (const [rule, fields] of Object.entries(accountInputs)) {
    const before = rule.startsWith('SV-4001')
      ? [
          { name: 'b', ...good },
          { name: 'c', url: 'https://second.example.net/' },
        ]
      : rule.endsWith('a minute')
        ? [{ name: 'b', ...good, ...fields }]
        : []
    const made = []
    for (const check of before) made.push(await own.api('POST', '/checks', check))
    const file = `${head}${hclOf('web', { name: 'a', ...good, ...fields })}`
    await own.write(file)
    expect((await own.terraform('validate')).exitCode, rule).toBe(0)
    const { out, exitCode } = await own.terraform('plan', '-json')
    expect(exitCode, `${rule} ${out}`).toBe(1)
    const [code = '', ...words] = rule.split(' ')
    const [first, ...more] = errorsOf(out, file)
    expect(first?.of).toBe('web')
    expect(first?.text).toContain(code)
    expect(first?.text).toContain(words.join(' '))
    expect(more).toEqual([])
    for (const { id } of made) await own.api('DELETE', `/checks/${id}`)
    row(rule, false, true)
  }
  expect(await own.checks()).toEqual([])
})

test('a wrong url in a replace is refused by the plan, and the check stays', patience, async () => {
  expect((await own.apply(hclOf('web', { name: 'web', ...good }))).exitCode).toBe(0)
  const [before] = await own.checks()
  for (const url of ['https://good.example.com/sl ow', 'http://10.0.0.1/']) {
    expect((await own.apply(hclOf('web', { name: 'web', url }))).exitCode).toBe(1)
    expect(await own.checks()).toMatchObject([{ id: before?.id }])
  }
  // an account without room replaces a check, as nothing is added
  await own.api('POST', '/checks', { name: 'c', url: 'https://second.example.net/' })
  const moved = hclOf('web', { name: 'web', url: 'https://good.example.com/moved' })
  expect((await own.apply(moved)).exitCode).toBe(0)
})

test('where each is caught stands in the table', async () => {
  const title = `${'rule'.padEnd(34)} validate  plan`
  await expect(`${[title, ...rows].join('\n')}\n`).toMatchFileSnapshot('wrong-inputs.txt')
})
