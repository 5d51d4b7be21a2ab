import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import { program } from '../../terminal/program.ts'
import { statusesByRank, type Arranged } from '../model/arrange.ts'
import type { TopState } from '../model/state.ts'
import { showAge } from './amounts.ts'
import { cut, edges, span, type Line } from './line.ts'
import { statusTone, type Symbols } from './symbols.ts'

const accountColumnsMax = 40
/** Below this width texts are shorter. */
const narrow = 80

export type Shown = {
  state: TopState
  arranged: Arranged
  /** The API host, without its path. */
  host: string
  symbols: Symbols
  width: number
  height: number
  /** By the API's clock. */
  nowMs: number
  /** By our clock. */
  localMs: number
}

/** The account, the status counts, the age of the data, and the vantage. */
export const headerLines = (shown: Shown): Line[] => {
  const { state, host, symbols, width } = shown
  const { account } = state
  const whose =
    account === null ? '' : `  ${cut(account.name, accountColumnsMax, symbols.more)} (${account.tier})`
  return [
    edges(
      [span(`${program} top`, 'strong'), span(`  ${host}`), span(whose)],
      connectionSpans(shown),
      width,
      symbols.more,
    ),
    edges(countSpans(shown), ageSpans(shown), width, symbols.more),
    edges([networkSpan(state, width)], [span(choiceText(state), 'dim')], width, symbols.more),
  ]
}

const connectionSpans = ({ state, localMs }: Shown): Line => {
  const { connection } = state
  const since = showAge(localMs - connection.sinceMs)
  switch (connection.state) {
    case 'connected':
      return [span('live', 'good'), span(` for ${since}`)]
    case 'reconnecting':
      return [span('reconnecting', 'bad'), span(` for ${since}`)]
    case 'connecting':
      return [span('connecting', 'warn')]
    default:
      return connection.state satisfies never
  }
}

const countSpans = ({ state, arranged }: Shown): Line => {
  const checks = state.checks.size
  const present = statusesByRank.filter((status) => arranged.counts[status] > 0)
  return [
    span(`${checks} ${checks === 1 ? 'check' : 'checks'}`),
    ...present.flatMap((status, index) => [
      span(index === 0 ? ': ' : ', '),
      span(`${arranged.counts[status]} ${status}`, statusTone[status]),
    ]),
  ]
}

const ageSpans = ({ arranged, nowMs, width }: Shown): Line => {
  if (arranged.newestMs === null) return [span('no reading', 'dim')]
  const age = showAge(nowMs - arranged.newestMs)
  return [span(width < narrow ? `newest ${age}` : `newest reading ${age} ago`)]
}

/** The vantage; while no region can measure, that instead. */
const networkSpan = (state: TopState, width: number): Line[number] =>
  state.nothingMeasured
    ? span(`${nothingMeasured.text}: check the network of the agents`, 'bad')
    : span(vantageText(state, width), 'dim')

const vantageText = ({ vantage }: TopState, width: number): string => {
  if (vantage === null) return 'vantage loading'
  if (vantage === 'regional') return 'vantage: regional'
  return width < narrow
    ? 'vantage: local (one machine)'
    : 'vantage: local (all regions measured from one machine)'
}

const choiceText = ({ sort, focus, filter, opened }: TopState): string =>
  [
    ...(focus === null ? [] : [`region ${focus}`]),
    ...(filter === '' || opened !== null ? [] : ['filtered']),
    `by ${sort}`,
  ].join(', ')
