import { Console } from 'node:console'
import { EventEmitter } from 'node:events'
import type { Check, CheckDetail } from '@probe-mesh/contracts/check/check'
import { topOn } from '@probe-mesh/cli/src/actions/top'
import { allCommands } from '@probe-mesh/cli/commands/all-commands'
import { runCommandLine } from '@probe-mesh/cli/src/command-line/create-program'
import { vi } from 'vitest'
import { commandContext, type Account, type Commanded, type Read, type Top, type Tops } from './account.ts'
import type { Statement } from './statement.ts'
import { terminalText } from './terminal.ts'

export const openTops = (account: Commanded): Tops => {
  const screen = openTop(account)
  const reader = openTop(account, { INK_SCREEN_READER: 'true' })
  return { screen, reader, leave: async () => void (await Promise.all([screen.leave(), reader.leave()])) }
}

/** What `top` shows as it starts, what it shows where it was left open, and its lines of JSON. */
export const readTop = async (account: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const started = openTops(account)
  try {
    const json = await readJsonLines(account)
    return {
      statements: [
        ...(await shownBy('top', started, details)),
        ...(await shownBy('open top', account.tops, details)),
        ...json.map(({ name, status, paused }) => ({
          surface: 'top --json',
          check: name,
          status: paused ? 'paused' : status,
        })),
      ],
      pages: [],
    }
  } finally {
    await started.leave()
  }
}

const shownBy = async (
  surface: string,
  { screen, reader }: Tops,
  details: readonly CheckDetail[],
): Promise<Statement[]> => {
  const rowOf = (text: string, check: CheckDetail) => screenRow(surface, text.split('\n'), check)
  // a pause is no event: the list is read again after it
  const rows = await screen.shown(
    (text) =>
      text.includes('live for') &&
      details.every((check) =>
        rowOf(text, check).some(({ status }) => (status === 'paused') === check.paused),
      ),
  )
  const sentences = await reader.shown(
    (text) =>
      text.includes('\nLive.') &&
      details.every(
        ({ name, paused, status }) => status === 'operational' || text.includes(`\n${name}: `) === !paused,
      ),
  )
  return details.flatMap((check) => [
    ...rowOf(rows, check),
    spokenLine(`${surface} aloud`, sentences.split('\n'), check),
  ])
}

/** Longer than a list is kept. */
const patience = { timeout: 70_000, interval: 50 }

const readJsonLines = async (account: Account): Promise<Check[]> => {
  const { context, written, interrupt } = commandContext(account)
  const ended = runCommandLine(allCommands, context, ['top', '--json'])
  const line = await vi.waitFor(() => {
    const found = /^.*"kind":"snapshot".*\n/m.exec(written.out)
    if (found === null) throw new Error(`top --json says ${written.out} ${written.err}`)
    return found[0]
  }, patience)
  interrupt()
  await ended
  return (JSON.parse(line) as { checks: Check[] }).checks
}

/** Wide enough for every column, and for sentences that are not broken. */
const size = { columns: 400, rows: 60 }

const openTop = (account: Commanded, environment: Readonly<Record<string, string>> = {}): Top => {
  // ink needs it, and the console of the test runner has none
  console.Console ??= Console
  const { write, text } = terminalText()
  const stdout = Object.assign(new EventEmitter(), {
    ...size,
    isTTY: true,
    writable: true,
    write: (more: string, done?: () => void) => {
      write(more)
      done?.()
      return true
    },
  })
  const keys: string[] = []
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: () => undefined,
    setEncoding: () => undefined,
    ref: () => undefined,
    unref: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
    read: () => keys.shift() ?? null,
  })
  const { context, written } = commandContext(account, { TERM: 'xterm', ...environment })
  const terminal = { stdin, stdout } as unknown as Parameters<typeof topOn>[0]
  const options = { apiUrl: undefined, apiKey: undefined, json: false, noColor: true, sort: undefined }
  const ended = topOn(terminal)(context, options, [])
  return {
    shown: (isReady) =>
      vi.waitFor(() => {
        if (!isReady(text())) throw new Error(`top shows "${text()}" ${written.err}`)
        return text()
      }, patience),
    leave: async () => {
      keys.push('q')
      stdin.emit('readable')
      const code = await ended
      if (code !== 0) throw new Error(`top ended with ${code}: ${written.err}`)
    },
  }
}

/** A row of the matrix, by the columns of its headings. */
const screenRow = (
  surface: string,
  lines: readonly string[],
  { name, type, paused }: CheckDetail,
): Statement[] => {
  const headings = lines.find((line) => line.startsWith('  NAME ')) ?? ''
  const [statusAt, sinceAt, reasonAt] = ['STATUS', 'SINCE', 'REASON'].map((word) => headings.indexOf(word))
  const row = lines.find((line) => line.slice(2, statusAt).trim() === name)
  if (row === undefined) return []
  const failing = [...headings.matchAll(/(?<= )[a-z]{3}(?= )/g)].flatMap(({ index, 0: region }) =>
    row.startsWith('✗D', index) ? [region] : [],
  )
  const reason = row.slice(reasonAt).trim()
  return [
    {
      surface,
      check: name,
      status: row.slice(statusAt, sinceAt).trim(),
      ...(type === 'heartbeat' || paused ? {} : { failing, sentences: [reason] }),
    },
  ]
}

/** Checks that are operational or paused are not read out. */
const spokenLine = (surface: string, lines: readonly string[], { name, paused }: CheckDetail): Statement => {
  const line = lines.find((one) => one.startsWith(`${name}: `)) ?? ''
  const [, status = paused ? 'paused' : 'operational', time, reason = ''] =
    /^.+?: (down|degraded|stale|unknown)(?: since (\d\d:\d\d:\d\d) UTC)?(?:, (.*))?$/.exec(line) ?? []
  return {
    surface,
    check: name,
    status,
    ...(time === undefined ? {} : { sinceMs: lastAt(time, Date.now()) }),
    sentences: [reason],
  }
}

/** The last instant with a time of day, in UTC. */
const lastAt = (time: string, nowMs: number): number => {
  const today = Date.parse(`${new Date(nowMs).toISOString().slice(0, 10)}T${time}Z`)
  return today > nowMs ? today - 86_400_000 : today
}
