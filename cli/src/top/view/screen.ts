import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import { Box, Text, useApp, useInput, useIsScreenReaderEnabled, useWindowSize, type TextProps } from 'ink'
import { createElement as h, useSyncExternalStore, type ReactElement } from 'react'
import { reasonBesideRegions } from '../../show/sort-rows.ts'
import { arrange, statusesByRank } from '../model/arrange.ts'
import type { TopState } from '../model/state.ts'
import { showTime } from './amounts.ts'
import { frameLines, pageRows } from './frame.ts'
import { actionsOf, pressesOf } from './keys.ts'
import { cut, textOf, type Line, type Tone } from './line.ts'
import type { TopStore } from './store.ts'
import type { Symbols } from './symbols.ts'

type ScreenProps = {
  store: TopStore
  host: string
  symbols: Symbols
  hasColours: boolean
  /** Measures a check now. */
  onRun: (checkId: string) => void
  /** Does what a typed line says about a check. */
  onAct: (checkId: string, line: string) => void
}

/** The one component: state in, lines out, keys back. */
export const Screen = ({ store, host, symbols, hasColours, onRun, onAct }: ScreenProps): ReactElement => {
  const { exit } = useApp()
  const size = useWindowSize()
  const isScreenReader = useIsScreenReaderEnabled()
  const { state, localMs } = useSyncExternalStore(store.subscribe, store.shown)
  useInput((input, key) => {
    const at = { page: pageRows(size), nowMs: store.now() }
    for (const [one, pressed] of pressesOf(
      input,
      key,
      store.state().isFiltering || store.state().command !== null,
    )) {
      for (const action of actionsOf(store.state(), one, pressed, at)) {
        if (action.kind === 'quit') exit()
        // a screen reader announces neither cursor nor confirmation, so no key uses them
        else if (isScreenReader) continue
        else if (action.kind === 'run') onRun(action.checkId)
        else if (action.kind === 'act') onAct(action.checkId, action.line)
        else store.act(action)
      }
    }
  })
  if (isScreenReader) {
    const lines = screenReaderLines(state, localMs + state.skewMs)
    return h(
      Box,
      { flexDirection: 'column' },
      lines.map((line, index) => h(Text, { key: index }, line)),
    )
  }
  const lines = frameLines({ state, size, symbols, host, localMs })
  return h(
    Box,
    { flexDirection: 'column', width: size.columns, height: size.rows, overflow: 'hidden' },
    lines.map((line, index) =>
      h(Text, { key: index, wrap: 'truncate' }, hasColours ? toned(line) : plain(line)),
    ),
  )
}

/** An empty line would have no height. */
const plain = (line: Line): string => textOf(line) || ' '

const toned = (line: Line): ReactElement[] | string =>
  line.length === 0
    ? ' '
    : line.map(({ text, tone }, index) =>
        h(Text, { key: index, ...(tone === undefined ? {} : looks[tone]) }, text),
      )

const looks: Readonly<Record<Tone, Pick<TextProps, 'color' | 'bold' | 'dimColor'>>> = {
  good: { color: 'green' },
  bad: { color: 'red', bold: true },
  warn: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
}

/** Checks read out one by one if they are not operational; beyond this only their number. */
const readOutMax = 50

/**
 * The account in plain sentences for a screen reader: without ages and latencies, so that they
 * change only with a status.
 */
const screenReaderLines = (state: TopState, nowMs: number): string[] => {
  if (state.listedMs === null) return ['Reading the checks.']
  const { rows, counts } = arrange(state, nowMs)
  const present = statusesByRank.filter((status) => counts[status] > 0)
  const failing = rows.filter(({ status }) => status !== 'operational' && status !== 'paused')
  const more = failing.length - readOutMax
  const { connection, vantage } = state
  const silent = `${nothingMeasured.text}. ${nothingMeasured.advice}`
  return [
    `${state.checks.size} checks: ${present.map((status) => `${counts[status]} ${status}`).join(', ') || 'none'}.`,
    connection.state === 'connected'
      ? 'Live.'
      : `Not live since ${showTime(connection.sinceMs)} UTC: the statuses may be outdated.`,
    ...(state.nothingMeasured ? [silent] : []),
    ...(vantage === 'local' ? ['All regions are measured from one machine.'] : []),
    ...failing.slice(0, readOutMax).map(({ row, status }) => {
      const since =
        status === row.status && row.statusSinceMs !== null ? ` since ${showTime(row.statusSinceMs)} UTC` : ''
      // regions change without a flip
      const reason = status === row.status ? reasonBesideRegions(row.statusReason ?? '') : ''
      return `${cut(row.name, 80, '...')}: ${status}${since}${reason === '' ? '' : `, ${cut(reason, 200, '...')}`}.`
    }),
    ...(more > 0 ? [`And ${more} more.`] : []),
    'Press q to quit.',
  ]
}
