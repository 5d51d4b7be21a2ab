import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { version } from '@probe-mesh/cli/src/command-line/version'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installOldestNode, installPackage, type InstalledPackage } from './install-package.ts'
import { applyRules } from './testing/apply-rules.ts'
import { runService, ended } from './testing/run-service.ts'
import { fileCheck as check, openWorkplace, otherTypes, type Workplace } from './testing/workplace.ts'

/** S-2601 to S-2617, rule by rule, with the installed package and a control plane. */

let service: InstalledPackage
let at: TestApp
let apiUrl: string
let own: Workplace

beforeAll(async () => {
  ;[service, at] = await Promise.all([installPackage(), startTestApp()])
  apiUrl = `${await at.app.listen({ host: '127.0.0.1', port: 0 })}/v1`
}, 180_000)
afterAll(async () => {
  await Promise.all([service?.close(), at?.close()])
})
beforeEach(async () => {
  own = await openWorkplace({ bin: service.bin, at, apiUrl }, await at.account('growth'))
  return () => own.close()
})

test('installs as one package without dependencies', () => {
  expect(service.others).toEqual([])
})

/** Prints the modules that a process loads, by the beginning of their names. */
const printModules = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => {
  const name = /\\/([a-z0-9-]+?)(-[\\w-]{8})?\\.js$/.exec(url)
  if (name !== null) process.stderr.write(name[1] + ' ')
  return next(url, context)
} })`

test.each([
  ['--version', 'service version'],
  ['--help', 'service version run program context'],
  ['completion bash', 'service version run program context completion-script failure'],
])('%s loads only the modules it needs', async (line, modules) => {
  const hook = `--import=data:text/javascript,${encodeURIComponent(printModules)}`
  const { err } = await runService(service.script, line.split(' '), {
    node: process.execPath,
    environment: { NODE_OPTIONS: hook },
  })
  expect(err.trim()).toBe(modules)
})

describe('export', () => {
  test('writes http checks, names the others in a comment, and changes nothing when applied again', async () => {
    await own.create('web', {
      regions: ['iad'],
      assertionJsonPath: '$["é: #"]',
      assertionJsonOp: 'exists',
    })
    await own.create('number', { name: '007', intervalSeconds: 300 })
    for (const type of otherTypes) await own.createTyped(type, `a ${type}`)
    expect(await own.run('export', '-f', 'checks.yaml')).toEqual(ended(0, 'Wrote 2 checks to checks.yaml.\n'))
    expect(await readFile(join(own.folder, 'checks.yaml'), 'utf8')).toBe(`\
# Not in this file, since files declare http checks only, and never touched by it:
#   heartbeat: a heartbeat
#   tcp: a tcp
#   dns: a dns
#   smtp: a smtp
#   multistep: a multistep
# Set in the dashboard, and kept when this file is applied: what a check depends on, what decides its status, its runbook, notes and owner, and when its pause ends.
version: 1
checks:
  - name: web
    url: https://web.example.com/
    intervalSeconds: 60
    regions: [iad]
    assertionJsonPath: "$[\\"é: #\\"]"
    assertionJsonOp: exists
  - name: "007"
    url: https://number.example.com/
    intervalSeconds: 300
`)
    const nothing = ended(
      0,
      'Changes: 0 to create, 0 to update, 0 to replace, 0 to delete, 2 unchanged.\n\n= web\n= 007\n\nNothing to apply.\n',
    )
    expect(await own.run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(nothing)
    expect(await own.run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace')).toEqual(
      nothing,
    )
    expect((await own.list()).map(({ type }) => type)).toEqual(['http', 'http', ...otherTypes])
  })

  test('writes JSON by extension, and prints to standard output without -f', async () => {
    await own.create('web')
    expect(await own.run('export', '-f', 'checks.json')).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(await readFile(join(own.folder, 'checks.json'), 'utf8'))).toEqual({
      version: 1,
      checks: [{ name: 'web', url: 'https://web.example.com/', intervalSeconds: 60 }],
    })
    expect(await own.run('apply', '-f', 'checks.json', '--dry-run')).toMatchObject({ exitCode: 0 })
    expect(await own.run('export')).toEqual(
      ended(
        0,
        '# Set in the dashboard, and kept when this file is applied: what a check depends on, what decides its status, its runbook, notes and owner, and when its pause ends.\nversion: 1\nchecks:\n  - name: web\n    url: https://web.example.com/\n    intervalSeconds: 60\n',
      ),
    )
  })

  test('names a repeated name and writes nothing', async () => {
    const [one, two] = [await own.create('web'), await own.create('web')]
    const ran = await own.run('export', '-f', 'checks.yaml')
    expect(ran).toEqual(
      ended(
        1,
        '',
        `"web" is the name of 2 checks (http ${one.id}, http ${two.id}): a file matches checks by name, rename or delete all but one.\n`,
      ),
    )
    await expect(access(join(own.folder, 'checks.yaml'))).rejects.toThrow('ENOENT')
  })
})

describe('validate', () => {
  test('reports the number of checks without calling the API', async () => {
    await own.file(check('web'), check('docs', 'regions: [iad, fra]'))
    const offline = { SERVICE_API_URL: 'http://127.0.0.1:9/v1' }
    const ran = await runService(service.bin, ['validate', '-f', join(own.folder, 'checks.yaml')], {
      environment: offline,
    })
    expect(ran).toEqual(ended(0, `${join(own.folder, 'checks.yaml')} is valid: 2 checks.\n`))
    await own.write('{"version":1,"checks":[{"name":"a","url":"https://a.example.com/"}]}', 'checks.json')
    expect(await own.run('validate', '-f', 'checks.json', '--json')).toEqual(
      ended(0, '{\n  "version": 1,\n  "problems": [],\n  "checks": 1\n}\n'),
    )
  })

  test('lists all problems at once, with their lines', async () => {
    await own.file(check('web', 'intervalSeconds: soon'), check('web', 'regions: []', 'colour: red'))
    const ran = await own.run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err.match(/^checks\.yaml:.*$/gm)).toMatchInlineSnapshot(`
      [
        "checks.yaml:5:22: checks[0].intervalSeconds: must be a number",
        "checks.yaml:6:11: checks[1].name: repeats the name of the check at line 3, column 11: names must be unique",
        "checks.yaml:8:14: checks[1].regions: at least one region is required",
        "checks.yaml:9:5: checks[1].colour: unknown field",
      ]
    `)
    const json = JSON.parse((await own.run('validate', '-f', 'checks.yaml', '--json')).out)
    expect(json.problems.map(({ line }: { line: number }) => line)).toEqual([5, 6, 8, 9])
  })

  test.each([
    ['an anchor', 'version: 1\nchecks:\n  - &a\n    name: x\n', 3],
    ['a tag', 'version: 1\nchecks:\n  - name: !str x\n', 3],
    ['a block scalar', 'version: 1\nchecks:\n  - name: |\n      x\n', 3],
    ['a flow mapping', 'version: 1\nchecks:\n  - {name: x}\n', 3],
    ['a second document', 'version: 1\nchecks: []\n---\nversion: 1\n', 3],
  ])('refuses %s with its line', async (_, text, line) => {
    await own.write(text)
    const ran = await own.run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(new RegExp(`^checks\\.yaml:${line}:\\d+: `, 'm'))
  })

  test.each(['statusPages', 'components', 'notificationChannels', 'alertRules'])(
    'refuses the top-level key %s as unsupported',
    async (key) => {
      await own.write(`version: 1\nchecks: []\n${key}: []\n`)
      const ran = await own.run('validate', '-f', 'checks.yaml')
      expect(ran).toMatchObject({ exitCode: 1, out: '' })
      expect(ran.err).toMatch(/^checks\.yaml:3:1: .*unsupported/m)
    },
  )
})

describe('apply', () => applyRules(() => own))

describe('the key', () => {
  test('comes from the environment, the option, or standard input', async () => {
    const empty = ended(0, 'version: 1\nchecks: []\n')
    const { writeKey } = own.account
    expect(await own.run('export')).toEqual(empty)
    expect(await own.runWith({}, 'export', '--api-key', writeKey)).toEqual(empty)
    const piped = { input: `${writeKey}\n` }
    expect(await own.runWith(piped, 'export', '--api-key', '-')).toEqual(empty)
    const message = 'No API key is set.\nSet SERVICE_API_KEY, or pipe the key in with --api-key -.\n'
    expect(await own.runWith({}, 'export')).toEqual(ended(1, '', message))
  })

  test('must be read_write to apply: a read key shows the changes, and its first write is refused', async () => {
    await own.file(check('web'))
    const apply = (...more: string[]) =>
      own.runWith({ apiKey: own.account.readKey }, 'apply', '-f', 'checks.yaml', ...more)
    expect(await apply('--dry-run')).toMatchObject({ exitCode: 2 })
    const ran = await apply()
    expect(ran.exitCode).toBe(1)
    expect(ran.err).toContain('\nSV-1004: This key may only read. Use a read_write key for changes.\n')
  })

  test('of a free account is refused before anything else', async () => {
    const { readKey } = await at.account('free')
    await own.file(check('web'))
    const ran = await own.runWith({ apiKey: readKey }, 'apply', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(/^SV-1003: /)
  })
})

describe('Node 22.0', () => {
  const every = [
    ['status'],
    ['status', 'web'],
    ['outage', 'github'],
    ['incidents'],
    ['maintenance'],
    ['run', 'web'],
    ['doctor'],
    ['export'],
    ['apply', '-f', 'checks.yaml'],
    ['validate', '-f', 'checks.yaml'],
    ['import', 'gatus.yaml'],
    ['completion', 'bash'],
  ]

  test('runs every command with JSON as one document', { timeout: 180_000 }, async () => {
    const how = { apiKey: own.account.writeKey, node: await installOldestNode() }
    await own.file(check('web'))
    await own.create('web')
    await own.write('endpoints: [{url: "https://example.org/"}]', 'gatus.yaml')
    expect(await own.runWith(how, '--version')).toEqual(ended(0, `${version}\n`))
    for (const args of every) {
      expect([args, await own.runWith(how, ...args)]).toMatchObject([args, { exitCode: 0 }])
      const { exitCode, out, err } = await own.runWith(how, ...args, '--json')
      expect([args, exitCode, err]).toEqual([args, 0, ''])
      expect(JSON.parse(out)).toMatchObject({ version: 1 })
    }
    for (const args of [['top'], ['status', '--watch']]) {
      const stays = { ...how, isEndedAfterLine: true }
      const { exitCode, out } = await own.runWith(stays, ...args, '--json')
      expect([args, exitCode]).toEqual([args, 0])
      expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ version: 1 })
    }
  })
})
