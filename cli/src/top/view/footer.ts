import { count } from '../../plan/show-value.ts'
import { showAge } from './amounts.ts'
import type { Shown } from './header.ts'
import { cut, cutLine, edges, span, type Line, type Tone } from './line.ts'

/** The current notice, and the keys. */
export const footerLines = (shown: Shown): Line[] => {
  const { arranged, state, width, symbols } = shown
  const { tone, text } = noticeOf(shown)
  const place =
    state.opened === null && state.run.kind === 'none' && arranged.rows.length > 0
      ? `${arranged.cursor + 1} of ${arranged.rows.length}`
      : ''
  return [
    edges([span(cut(text, width, symbols.more), tone)], [span(place, 'dim')], width, symbols.more),
    cutLine([span(hintsOf(shown), 'dim')], width, symbols.more),
  ]
}

/** The most important notice. */
const noticeOf = ({ state, localMs, width, symbols }: Shown): { text: string; tone?: Tone } => {
  const { run, checks, isFiltering, filter, reads, connection, dropped, incidents } = state
  const nameOf = (id: string): string => checks.get(id)?.name ?? 'the check'
  if (state.command !== null) return { text: `:${state.command}_`, tone: 'strong' }
  if (isFiltering) return { text: `/${filter}_`, tone: 'strong' }
  if (run.kind === 'asking' && localMs <= run.untilMs) {
    const text = `press r again to measure ${cut(nameOf(run.checkId), width - 50, symbols.more)} now; other keys cancel`
    return { text, tone: 'warn' }
  }
  if (run.kind === 'running') {
    const what = run.act === null ? 'Measuring' : `${run.act}:`
    return { text: `${what} ${nameOf(run.checkId)} ${run.act === null ? 'now ' : ''}...` }
  }
  if (run.kind === 'ended' && localMs <= run.untilMs) {
    return { text: run.said, tone: run.isRefused ? 'bad' : 'strong' }
  }
  if (connection.state === 'reconnecting') {
    return { text: `No live events: ${connection.why ?? 'the connection was lost'}`, tone: 'bad' }
  }
  if (reads.problem !== null) return { text: reads.problem, tone: 'bad' }
  if (reads.waiting > 0) {
    return { text: `${count(reads.waiting, 'read')} waiting for the limit of reads a minute`, tone: 'warn' }
  }
  if (dropped > 0) return { text: `${dropped} events were too many or unreadable`, tone: 'warn' }
  if (filter !== '') return { text: `Filter: ${filter} (esc clears it)` }
  const [newest] = incidents
  if (newest === undefined) return { text: '' }
  const { incident, update } = newest
  const age = showAge(localMs + state.skewMs - Date.parse(update.createdAt))
  return { text: `Incident ${update.status} ${age} ago: ${incident.title}` }
}

const hints = {
  list: ['enter open', '/ filter', 's sort', '1-9 region', 'r run now', ': act', '? help', 'q quit'],
  opened: ['esc back', 'j/k next check', '1-9 region', 'r run now', ': act', '? help', 'q quit'],
  acting: ['pause, resume, incident open <title>, channel test <name>, ...', 'enter act', 'esc cancel'],
  typing: ['type to filter', 'enter keep', 'esc clear'],
  help: ['esc back', 'q quit'],
}

/** As many as fit, always with the last two: help and quit. */
const hintsOf = ({ state, width }: Shown): string => {
  const kind =
    state.command !== null
      ? 'acting'
      : state.isFiltering
        ? 'typing'
        : state.isHelpShown
          ? 'help'
          : state.opened === null
            ? 'list'
            : 'opened'
  const all = [...hints[kind]]
  while (all.length > 2 && all.join('   ').length > width) all.splice(-3, 1)
  return all.join('   ')
}
