import { sharedPools } from '@probe-mesh/contracts/api/pools'
import { poolFigures, type SharedPool } from '@probe-mesh/contracts/schema/shared-pool'
import { markdownTable } from '@probe-mesh/runtime/tables'

const begin = '<!-- The pools: written by `npm run docs`, do not edit. -->'
const end = '<!-- The end of the pools. -->'

/** The resources that accounts share, for `docs/overload.md`. */
const poolTable = (): string =>
  markdownTable([
    ['resource', 'limit', 'limit of one account', 'floor', 'when exceeded', 'metrics'],
    ...Object.values(sharedPools).map(({ what, bound, share, floor, refused, figures }: SharedPool) => [
      what,
      bound,
      share,
      floor,
      refused,
      shortened(figures)
        .map((figure) => `\`${figure}\``)
        .join(', '),
    ]),
  ])

/** The four figures of every pool as one name, which the document explains. */
const shortened = (figures: readonly string[]): string[] =>
  ['', 'probe_mesh_agent_'].reduce<string[]>(
    (names, prefix) => {
      const ofPool = poolFigures().map((figure) => prefix + figure)
      if (!ofPool.every((figure) => names.includes(figure))) return names
      return [`${prefix}pool_*`, ...names.filter((name) => !ofPool.includes(name))]
    },
    [...figures],
  )

/** The document with the table of pools between its markers. @throws if they are missing */
export const withPoolTable = (document: string): string => {
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error('the document has no markers of the pool table')
  return `${before}${[begin, '', poolTable(), '', end].join('\n')}${after}`
}
