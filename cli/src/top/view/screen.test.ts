import { EventEmitter } from 'node:events'
import { render } from 'ink'
import { createElement } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { FeedEvent } from '../model/reduce.ts'
import { account, checkOf, connected, detailOf, listed, startMs, toldFlip } from '../testing.ts'
import { Screen } from './screen.ts'
import { createTopStore } from './store.ts'
import type { TopStore } from './store.ts'
import { symbolsOf } from './symbols.ts'

/** A state is awaited, however slow the machine is. */
const until = <T>(condition: () => T): Promise<T> => vi.waitFor(condition, { timeout: 15_000 })

/** Ink itself, on streams that keep what is drawn and press what the test presses. */

const streams = (columns: number, rows: number) => {
  const frames: string[] = []
  const stdout = Object.assign(new EventEmitter(), {
    columns,
    rows,
    isTTY: true,
    writable: true,
    write: (text: string, done?: () => void) => {
      frames.push(text)
      done?.()
      return true
    },
  })
  const waiting: string[] = []
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: vi.fn(),
    setEncoding: () => undefined,
    ref: () => undefined,
    unref: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
    read: () => waiting.shift() ?? null,
  })
  const press = (input: string): void => {
    waiting.push(input)
    stdin.emit('readable')
  }
  return { frames, stdout, stdin, press }
}

let ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends) end()
  ends = []
})

const show = (options: { columns?: number; rows?: number; isRead?: boolean } = {}) => {
  const { columns = 80, rows = 24, isRead = false } = options
  const { frames, stdout, stdin, press } = streams(columns, rows)
  const store = createTopStore(() => startMs)
  const runs: string[] = []
  const screen = render(
    createElement(Screen, {
      store,
      host: 'api.example.com',
      symbols: symbolsOf({ LANG: 'C.UTF-8' }),
      hasColours: false,
      onRun: (checkId) => void runs.push(checkId),
    }),
    {
      stdout: stdout as unknown as NodeJS.WriteStream,
      stdin: stdin as unknown as NodeJS.ReadStream,
      // each frame whole, so that the last one is what stands on the screen
      debug: true,
      interactive: true,
      patchConsole: false,
      isScreenReaderEnabled: isRead,
    },
  )
  ends.push(() => {
    screen.unmount()
    store.close()
  })
  const last = (): string => frames.findLast((frame) => frame.trim() !== '') ?? ''
  return { store, runs, press, last, frames, stdout, gone: screen.waitUntilExit() }
}

const tell = (store: TopStore, ...events: FeedEvent[]): void => events.forEach(store.tell)
const checks = ['api', 'shop', 'web'].map((name) => checkOf(name))
const ready = [listed(checks), account, connected] as FeedEvent[]

test('what is told is drawn, as wide and as high as the window', async () => {
  const { store, last } = show()
  tell(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  expect(last().split('\n')).toHaveLength(24)
})

test('keys move, open, filter and leave', async () => {
  const { store, press, last, gone } = show()
  tell(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  press('j')
  await until(() => expect(last()).toContain('› shop'))
  press('\r')
  await until(() => expect(last()).toContain('LAST READINGS'))
  press('\u001B')
  await until(() => expect(last()).toContain('› shop'))
  press('/')
  press('we')
  await until(() => expect(last()).toMatch(/› web[^]*\/we_/))
  expect(last()).not.toContain('shop')
  press('\r')
  press('q')
  await gone
})

test('r runs nothing, r r runs the check under the cursor once', async () => {
  const { store, press, last, runs } = show()
  tell(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  press('r')
  await until(() => expect(last()).toContain('r again: measure api now'))
  press('j')
  await until(() => expect(last()).not.toContain('r again'))
  expect(runs).toEqual([])
  press('r')
  press('r')
  await until(() => expect(runs).toEqual(['shop']))
})

test('a window that changes its size is drawn anew', async () => {
  const { store, last, stdout } = show()
  tell(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  Object.assign(stdout, { columns: 39, rows: 9 })
  stdout.emit('resize')
  await until(() => expect(last()).toContain('This window is 39x9'))
  Object.assign(stdout, { columns: 120, rows: 40 })
  stdout.emit('resize')
  await until(() => expect(last().split('\n')).toHaveLength(40))
})

test('a screen reader gets sentences, which change when a status does and not before', async () => {
  const { store, last, frames, press, runs } = show({ isRead: true })
  tell(store, ...ready)
  await until(() => expect(last()).toContain('3 checks: 3 operational.'))
  press('r')
  press('r')
  expect(runs).toEqual([])
  const before = frames.length
  const [api] = checks
  if (api === undefined) throw new Error('there is a check')
  tell(store, { kind: 'detailed', detail: detailOf(api), askedMs: startMs })
  tell(store, { kind: 'reads', waiting: 3, problem: null })
  await until(() => expect(store.shown().state.reads.waiting).toBe(3))
  expect(new Set(frames.slice(before - 1)).size).toBeLessThanOrEqual(1)
  tell(store, { kind: 'told', events: [toldFlip('web', 'down', 0, 'no answer')] })
  await until(() => expect(last()).toMatch(/web: down since 12:00:00 UTC, no answer\./))
})
