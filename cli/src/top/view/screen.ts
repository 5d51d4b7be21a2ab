import { Box, Text, useApp, useInput, useIsScreenReaderEnabled, useWindowSize } from 'ink'
import type { TextProps } from 'ink'
import { createElement as h, useSyncExternalStore } from 'react'
import type { ReactElement } from 'react'
import type { TopStore } from '../store.ts'
import { frameLines, pageRows } from './frame.ts'
import { actionsOf, pressesOf } from './keys.ts'
import { textOf } from './line.ts'
import type { Line, Tone } from './line.ts'
import { readerLines } from './reader.ts'
import type { Symbols } from './symbols.ts'

export type ScreenProps = {
  store: TopStore
  host: string
  symbols: Symbols
  hasColours: boolean
  /** Measures a check now. */
  onRun: (checkId: string) => void
}

/** The one component: state in, lines out, keys back. */
export const Screen = ({ store, host, symbols, hasColours, onRun }: ScreenProps): ReactElement => {
  const { exit } = useApp()
  const size = useWindowSize()
  const isRead = useIsScreenReaderEnabled()
  const { state, hereMs } = useSyncExternalStore(store.subscribe, store.shown)
  useInput((input, key) => {
    const at = { page: pageRows(size), nowMs: store.now() }
    for (const [one, pressed] of pressesOf(input, key, store.state().isFiltering)) {
      for (const action of actionsOf(store.state(), one, pressed, at)) {
        if (action.kind === 'quit') exit()
        // no cursor and no question is read out, so no key acts on one
        else if (isRead) continue
        else if (action.kind === 'run') onRun(action.checkId)
        else store.act(action)
      }
    }
  })
  if (isRead) {
    const lines = readerLines(state, hereMs + state.skewMs)
    return h(
      Box,
      { flexDirection: 'column' },
      lines.map((line, index) => h(Text, { key: index }, line)),
    )
  }
  const lines = frameLines({ state, size, symbols, host, hereMs })
  return h(
    Box,
    { flexDirection: 'column', width: size.columns, height: size.rows, overflow: 'hidden' },
    lines.map((line, index) =>
      h(Text, { key: index, wrap: 'truncate' }, hasColours ? toned(line) : plain(line)),
    ),
  )
}

/** A line without text would have no height. */
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
