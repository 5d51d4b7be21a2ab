import type { Flip } from '@probe-mesh/contracts/mesh/events'
import { writeJsonLine } from '../../api/failure.ts'
import { showLine, showName } from '../../plan/show-value.ts'
import { lookOf } from '../../show/look.ts'
import { statusTable } from '../../show/status-table.ts'
import type { World } from '../../terminal/world.ts'
import type { Change, Watched } from './watched.ts'
import { writeLines } from '../write-lines.ts'

/** Where a live view shows what it knows. Every call is given all of it, and what is new. */
export type LiveView = {
  begin(watched: Watched): void
  flipped(watched: Watched, flip: Flip): void
  /** All was read anew, since flips may have been missed. */
  reread(watched: Watched, changes: readonly Change[]): void
  measured(watched: Watched): void
  linked(watched: Watched): void
  /** The last call. */
  end(watched: Watched): void
}

/** Off a terminal: the table once, then a line for each change; of the connection on standard error. */
export const lineView = ({ out, err, environment }: World): LiveView => ({
  begin: ({ checks }) => writeLines(out, [...statusTable(lookOf(out, environment), checks), '']),
  flipped: (_, { at, checkName, from, to, reason }) =>
    writeLines(out, [
      showLine(
        `${at}  ${showName(checkName)}  ${from} -> ${to}${reason === null ? '' : `  ${reason}`}`,
      ),
    ]),
  reread: ({ heardAtMs }, changes) =>
    writeLines(
      out,
      changes.map(({ name, from, to }) => {
        const at = new Date(heardAtMs).toISOString()
        return showLine(`${at}  ${showName(name)}  ${from} -> ${to}  (seen when read anew)`)
      }),
    ),
  measured: () => {},
  linked: ({ link }) => err.write(`${linkWords[link]}\n`),
  end: () => {},
})

const linkWords: Readonly<Record<Watched['link'], string>> = {
  connecting: 'Connecting to the stream of events.',
  connected: 'Following changes; Ctrl-C ends.',
  reconnecting: 'The stream of events broke off: connecting anew.',
}

/** For programs: an object a line, each with its kind; `checks` is all there is to know at once. */
export const jsonView = ({ out }: World): LiveView => {
  const say = (value: object): void => writeJsonLine(out, { version: 1, ...value })
  return {
    begin: ({ checks }) => say({ kind: 'checks', checks }),
    flipped: (_, flip) => say({ kind: 'flip', flip }),
    reread: ({ checks }, changes) => {
      if (changes.length > 0) say({ kind: 'checks', checks })
    },
    measured: () => {},
    linked: ({ link }) => say({ kind: 'link', state: link }),
    end: () => {},
  }
}
