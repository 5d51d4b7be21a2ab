import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import { EventEmitter } from 'node:events'
import { render } from 'ink'
import { createElement } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { FeedEvent } from '../model/reduce.ts'
import { account, checkOf, connected, detailOf, listed, startMs, flipEvent } from '../testing.ts'
import { Screen } from './screen.ts'
import { createTopStore, type TopStore } from './store.ts'
import { symbolsOf } from './symbols.ts'

/** A state is awaited, however slow the machine is. */
const until = <T>(condition: () => T): Promise<T> => vi.waitFor(condition)

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

const show = (options: { columns?: number; rows?: number; isScreenReader?: boolean } = {}) => {
  const { columns = 80, rows = 24, isScreenReader = false } = options
  const { frames, stdout, stdin, press } = streams(columns, rows)
  const store = createTopStore(() => startMs)
  const runs: string[] = []
  const acts: string[] = []
  const screen = render(
    createElement(Screen, {
      store,
      host: 'api.example.com',
      symbols: symbolsOf({ LANG: 'C.UTF-8' }),
      hasColours: false,
      onAct: (checkId, line) => void acts.push(`${checkId} ${line}`),
      onRun: (checkId) => void runs.push(checkId),
    }),
    {
      stdout: stdout as unknown as NodeJS.WriteStream,
      stdin: stdin as unknown as NodeJS.ReadStream,
      // each frame whole, so that the last one is what stands on the screen
      debug: true,
      interactive: true,
      patchConsole: false,
      isScreenReaderEnabled: isScreenReader,
    },
  )
  ends.push(() => {
    screen.unmount()
    store.close()
  })
  const last = (): string => frames.findLast((frame) => frame.trim() !== '') ?? ''
  return { store, runs, acts, press, last, frames, stdout, gone: screen.waitUntilExit() }
}

const dispatch = (store: TopStore, ...events: FeedEvent[]): void => events.forEach(store.dispatch)
const checks = ['api', 'shop', 'web'].map((name) => checkOf(name))
const ready = [listed(checks), account, connected] as FeedEvent[]

test('draws events to the width and height of the window', async () => {
  const { store, last } = show()
  dispatch(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  expect(last().split('\n')).toHaveLength(24)
})

test('says that no region can measure, in words and read aloud, until that ends', async () => {
  const silent = [{ ...listed(checks), nothingMeasured: true }, account, connected] as FeedEvent[]
  const { store, last } = show({ columns: 120 })
  dispatch(store, ...silent)
  await until(() => expect(last()).toContain(nothingMeasured.text))
  const aloud = show({ isScreenReader: true })
  dispatch(aloud.store, ...silent)
  await until(() => expect(aloud.last().replaceAll(/\s+/g, ' ')).toContain('No region can measure'))
  dispatch(store, listed(checks, 1) as FeedEvent)
  await until(() => expect(last()).not.toContain('No region can measure'))
})

test('moves, opens, filters and quits by keys', async () => {
  const { store, press, last, gone } = show()
  dispatch(store, ...ready)
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

test('runs the selected check once after r r, and never after one r', async () => {
  const { store, press, last, runs } = show()
  dispatch(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  press('r')
  await until(() => expect(last()).toContain('press r again to measure api now'))
  press('j')
  await until(() => expect(last()).not.toContain('r again'))
  expect(runs).toEqual([])
  press('r')
  press('r')
  await until(() => expect(runs).toEqual(['shop']))
})

test('carries out a typed act on the selected check with enter, and nothing with escape', async () => {
  const { store, press, last, acts, runs } = show()
  dispatch(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  press('j')
  press(':')
  press('pause')
  await until(() => expect(last()).toContain(':pause_'))
  press('\u001B')
  await until(() => expect(last()).not.toContain(':pause_'))
  expect(acts).toEqual([])
  press(':')
  press('incident open r r q')
  await until(() => expect(last()).toContain(':incident open r r q_'))
  press('\r')
  await until(() => expect(acts).toEqual(['shop incident open r r q']))
  expect(runs).toEqual([])
})

test('redraws after the window changes its size', async () => {
  const { store, last, stdout } = show()
  dispatch(store, ...ready)
  await until(() => expect(last()).toContain('› api'))
  Object.assign(stdout, { columns: 39, rows: 9 })
  stdout.emit('resize')
  await until(() => expect(last()).toContain('This window is 39x9'))
  Object.assign(stdout, { columns: 120, rows: 40 })
  stdout.emit('resize')
  await until(() => expect(last().split('\n')).toHaveLength(40))
})

test('gives a screen reader sentences that change only with a status', async () => {
  const { store, last, frames, press, runs } = show({ isScreenReader: true })
  dispatch(store, ...ready)
  await until(() => expect(last()).toContain('3 checks: 3 operational.'))
  press('r')
  press('r')
  expect(runs).toEqual([])
  const before = frames.length
  const [api] = checks
  if (api === undefined) throw new Error('there is a check')
  dispatch(store, { kind: 'detailed', detail: detailOf(api), requestedMs: startMs })
  dispatch(store, { kind: 'reads', waiting: 3, problem: null })
  await until(() => expect(store.shown().state.reads.waiting).toBe(3))
  expect(new Set(frames.slice(before - 1)).size).toBeLessThanOrEqual(1)
  dispatch(store, {
    kind: 'events',
    events: [flipEvent('web', 'down', 0, '2 of 4 regions fail (fra, nrt): no answer')],
  })
  await until(() => expect(last()).toMatch(/web: down since 12:00:00 UTC, no answer\./))
})
