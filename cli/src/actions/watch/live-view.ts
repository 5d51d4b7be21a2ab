import type { Flip } from '@probe-mesh/contracts/mesh/events'
import { writeJsonLine } from '../../api/failure.ts'
import { showLine, showName } from '../../plan/show-value.ts'
import { displayOf } from '../../show/display.ts'
import { statusTable } from '../../show/status-table.ts'
import { writeLines, type Context } from '../../terminal/context.ts'
import type { Change, Watched } from './watched.ts'

/** Displays a live view. Every call receives the full state and what changed. */
export type LiveView = {
  begin(watched: Watched): void
  flipped(watched: Watched, flip: Flip): void
  /** Everything was read again, since flips may have been missed. */
  reread(watched: Watched, changes: readonly Change[]): void
  measured(watched: Watched): void
  linked(watched: Watched): void
  /** The last call. */
  end(watched: Watched): void
}

/** Off a terminal: the table once, then one line per change; connection states on standard error. */
export const lineView = ({ out, err, environment, now }: Context): LiveView => ({
  begin: ({ checks }) =>
    writeLines(out, [...statusTable(displayOf(out, environment), checks, { nowMs: now() }), '']),
  flipped: (_, { at, checkName, from, to, reason }) =>
    writeLines(out, [
      showLine(`${at}  ${showName(checkName)}  ${from} -> ${to}${reason === null ? '' : `  ${reason}`}`),
    ]),
  reread: ({ updatedAtMs }, changes) =>
    writeLines(
      out,
      changes.map(({ name, from, to }) => {
        const at = new Date(updatedAtMs).toISOString()
        return showLine(`${at}  ${showName(name)}  ${from} -> ${to}  (found when read again)`)
      }),
    ),
  measured: () => {},
  linked: ({ link }) => err.write(`${linkWords[link]}\n`),
  end: () => {},
})

const linkWords: Readonly<Record<Watched['link'], string>> = {
  connecting: 'Connecting to the event stream.',
  connected: 'Watching for changes; Ctrl-C stops.',
  reconnecting: 'The event stream was lost; reconnecting.',
}

/** For programs: one JSON object per line, with its kind; `checks` is a full snapshot. */
export const jsonView = ({ out }: Context): LiveView => {
  const print = (value: object): void => writeJsonLine(out, { version: 1, ...value })
  return {
    begin: ({ checks }) => print({ kind: 'checks', checks }),
    flipped: (_, flip) => print({ kind: 'flip', flip }),
    reread: ({ checks }, changes) => {
      if (changes.length > 0) print({ kind: 'checks', checks })
    },
    measured: () => {},
    linked: ({ link }) => print({ kind: 'link', state: link }),
    end: () => {},
  }
}
