import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { browserUser, commandOf, findWay, waysOf } from './sandbox.ts'
import { startSite, type Site } from './testing/site.ts'
import { createVisitor } from './testing/visitor.ts'

const isRoot = process.getuid?.() === 0
const hasSandbox = (): boolean => process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] !== 'yes'

let folder: string
let site: Site
let chromium: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  chmodSync(folder, 0o755)
  chromium = await findTestChromium()
  site = await startSite({
    '/': '<title>fine</title><h1>fine</h1>',
    '/hangs': '<title>hangs</title><img src="/no-answer">',
    '/no-answer': () => undefined,
  })
}, 600_000)
afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the ways to start it', () => {
  test('require the sandbox, and another user for root', () => {
    expect(waysOf({ isRoot: false, mayGoWithout: false })).toEqual([{ user: null, isSandboxed: true }])
    expect(waysOf({ isRoot: true, mayGoWithout: false })).toEqual([{ user: browserUser, isSandboxed: true }])
  })

  test('end without it only if the operator allows that, and as root last', () => {
    expect(waysOf({ isRoot: false, mayGoWithout: true }).slice(1)).toEqual([
      { user: null, isSandboxed: false },
    ])
    expect(waysOf({ isRoot: true, mayGoWithout: true }).slice(1)).toEqual([
      { user: browserUser, isSandboxed: false },
      { user: null, isSandboxed: false },
    ])
  })
})

/** Replaces Chromium by a shell script. */
const standIn = (name: string, script: string): string => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
const draws = `echo '<title>drawn2</title>'`
const withoutOnly = (): string =>
  standIn(
    'without-only',
    `case "$*" in *--no-sandbox*) ${draws};; *) echo 'FATAL: No usable sandbox!' >&2; exit 1;; esac`,
  )
const profilesOfOurs = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`probe-mesh-chromium-${process.pid}-`))

describe('the trial', () => {
  test('a Chromium whose sandbox does not work is not started without it', async () => {
    expect(await findWay(withoutOnly(), waysOf({ isRoot, mayGoWithout: false }))).toEqual({
      way: null,
      why: expect.stringContaining('No usable sandbox'),
    })
  })

  test('the operator may allow it without, and learns why that is needed', async () => {
    const { way, why } = await findWay(withoutOnly(), waysOf({ isRoot, mayGoWithout: true }))
    expect(way).toEqual({ user: isRoot ? browserUser : null, isSandboxed: false })
    expect(why).toContain('No usable sandbox')
  })

  test.each([
    ['ends without a page', 'exit 0'],
    ['fails', 'exit 7'],
    ['draws something else', 'echo "<title>drawn</title>"'],
    ['says without end', 'yes'],
  ])('a Chromium that %s does not work', async (name, script) => {
    const path = standIn(name.replaceAll(' ', '-'), script)
    expect(await findWay(path, waysOf({ isRoot, mayGoWithout: true }))).toMatchObject({
      way: null,
      why: expect.stringMatching(/\w/),
    })
  })

  test('leaves nothing behind', async () => {
    await findWay(standIn('writes', `touch "$HOME/left"; ${draws}`), waysOf({ isRoot, mayGoWithout: false }))
    expect(profilesOfOurs()).toEqual([])
  })

  test('passes no environment variables', async () => {
    process.env['A_SECRET_OF_THE_AGENT'] = 'secret'
    onTestFinished(() => void delete process.env['A_SECRET_OF_THE_AGENT'])
    const path = standIn('environment', `[ -z "$A_SECRET_OF_THE_AGENT" ] && ${draws}`)
    const { way } = await findWay(path, waysOf({ isRoot, mayGoWithout: false }))
    expect(way).not.toBeNull()
  })
})

describe.skipIf(!isRoot)('as root', () => {
  test('it runs as a user without files, groups and privileges', async () => {
    const path = standIn(
      'identity',
      `[ "$(id -u) $(id -g) $(id -G)" = "${browserUser} ${browserUser} ${browserUser}" ] || exit 1
      grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status && grep -q '^CapPrm:[[:space:]]*0*$' /proc/self/status &&
      [ -w "$HOME" ] && ${draws}`,
    )
    const ways = waysOf({ isRoot, mayGoWithout: false })
    expect(await findWay(path, ways)).toEqual({ way: ways[0], why: null })
    expect(commandOf('/usr/bin/chromium', { user: null, isSandboxed: true })).toEqual({
      command: '/usr/bin/chromium',
      args: [],
    })
  })
})

type Process = { arguments: string; status: string; users: string }

/** A process and all its descendants. */
const familyOf = (pid: number): Process[] => {
  const read = (id: string, name: string) => readFileSync(`/proc/${id}/${name}`, 'utf8')
  const all = new Map<number, Process & { parent: number }>()
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue
    try {
      const status = read(id, 'status')
      all.set(Number(id), {
        arguments: read(id, 'cmdline'),
        status,
        users: readlinkSync(`/proc/${id}/ns/user`),
        parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]),
      })
    } catch {
      // the process has ended in the meantime
    }
  }
  const isOf = (id: number): boolean => id === pid || (all.has(id) && isOf(all.get(id)?.parent ?? 0))
  return [...all].flatMap(([id, found]) => (isOf(id) ? [found] : []))
}

test('a page of a check runs in the sandbox, under any user', async ({ skip }) => {
  if (!hasSandbox()) skip('this machine allows no sandbox: the start of the tests says why')
  const visitor = createVisitor(chromium)
  onTestFinished(visitor.close)
  expect((await visitor.visit({ url: site.url() })).judgement.verdict).toBe('up')
  // stays open during the inspection
  const visit = visitor.visit({ url: site.url('/hangs') })
  const processes = await vi.waitFor(() => {
    const family = familyOf(visitor.host.pid ?? 0)
    expect(site.requests.map(({ url }) => url)).toContain('/no-answer')
    expect(family.some((each) => each.arguments.includes('--type=renderer'))).toBe(true)
    return family
  })
  await visitor.close()
  await visit
  const user = isRoot ? browserUser : process.getuid?.()
  for (const { arguments: text, status } of processes) {
    expect(text).not.toContain('--no-sandbox')
    const ids = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)
    expect(ids).toEqual([`${user}`, `${user}`, `${user}`])
  }
  // the renderer has its own namespaces, and a filter on system calls
  for (const { status, users } of processes.filter((each) => each.arguments.includes('--type=renderer'))) {
    expect(users).not.toBe(readlinkSync('/proc/self/ns/user'))
    expect(status).toMatch(/^Seccomp:\s+2$/m)
  }
})
