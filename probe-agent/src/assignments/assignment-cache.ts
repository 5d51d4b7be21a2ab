import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@probe-mesh/bus/logger'
import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AssignmentTable } from '../ownership/assignment-table.ts'
import { putLine, readLines, removedLine } from './lines.ts'

/**
 * Writes the whole text, also when the disk accepts it in parts.
 * @throws Error when the disk refuses it
 */
const writeWhole = (fd: number, text: string): void => {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written)
}

/** Delay between a change and its write, ms. */
const flushMs = 100
/**
 * Lines per turn, and the pause between turns, so that 100,000 lines do not block the event loop.
 */
const linesPerTurn = 1_000
const turnMs = 5
/** The file is rewritten when it exceeds twice the live lines plus this many. */
export const linesSlack = 1_000
/** Pause before a failed disk is retried, ms. */
const retryMs = 60_000

/**
 * A region's assignments on disk, so that an agent which starts without the bus can run them. Not
 * synced: a power failure may lose the last changes, which the bus repeats.
 */
export type AssignmentCache = {
  /** Call when an assignment is new or has changed. */
  put(assignment: HeldAssignment): void
  remove(checkId: string): void
  close(): void
}

type State = {
  readonly path: string
  readonly table: AssignmentTable
  readonly log: Logger
  readonly onDropped: (lines: number) => void
  /** The last change of each check that is not on disk yet; null: removed. */
  readonly pending: Map<string, HeldAssignment | null>
  /** null while the disk fails. */
  fd: number | null
  lines: number
  rewrite: { fd: number; left: Iterator<HeldAssignment>; lines: number } | null
  timer: NodeJS.Timeout | null
  isFailureLogged: boolean
}

/**
 * Loads the assignments from the cache, then keeps the cache in step. A cache that cannot be read
 * or written is logged once, counted and retried; the agent works without it.
 */
export const openAssignmentCache = (options: {
  directory: string
  region: Region
  table: AssignmentTable
  log: Logger
  /** Lines that could not be read or written. */
  onDropped: (lines: number) => void
}): AssignmentCache => {
  const { directory, region, table, log, onDropped } = options
  const path = join(directory, 'lines')
  const state: State = {
    path,
    table,
    log,
    onDropped,
    pending: new Map(),
    fd: null,
    lines: 0,
    rewrite: null,
    timer: null,
    isFailureLogged: false,
  }
  try {
    mkdirSync(directory, { recursive: true })
    const cached = readLines(path, region)
    if (cached.unreadable > 0) onDropped(cached.unreadable)
    for (const assignment of cached.assignments) table.put(assignment, { catchUp: false })
    state.lines = cached.lines
    state.fd = openSync(path, 'a')
    if (cached.isTorn) writeWhole(state.fd, '\n')
    log.info({ assignments: table.size, unreadable: cached.unreadable }, 'assignments read from the cache')
  } catch (error) {
    fail(state, error)
  }

  const change = (checkId: string, assignment: HeldAssignment | null) => {
    if (state.fd === null && state.rewrite === null) return onDropped(1)
    state.pending.delete(checkId)
    state.pending.set(checkId, assignment)
    schedule(state, flushMs)
  }
  return {
    put: (assignment) => change(assignment.checkId, assignment),
    remove: (checkId) => change(checkId, null),
    close: () => close(state),
  }
}

const schedule = (state: State, delayMs: number): void => {
  state.timer ??= setTimeout(() => {
    state.timer = null
    try {
      turn(state)
    } catch (error) {
      fail(state, error)
    }
  }, delayMs).unref()
}

const turn = (state: State): void => {
  if (state.rewrite !== null) rewriteSome(state, state.rewrite)
  else if (state.fd === null) beginRewrite(state)
  else if (state.pending.size > 0) appendSome(state, state.fd)
  else if (state.lines > 2 * state.table.size + linesSlack) beginRewrite(state)
  else return
  schedule(state, turnMs)
}

const appendSome = (state: State, fd: number): void => {
  let text = ''
  let count = 0
  for (const [checkId, assignment] of state.pending) {
    if (count++ >= linesPerTurn) break
    text += assignment === null ? removedLine(checkId) : putLine(assignment)
    state.pending.delete(checkId)
    state.lines++
  }
  writeWhole(fd, text)
}

/** Changes during a rewrite stay pending and are appended to the new file. */
const beginRewrite = (state: State): void => {
  const fd = openSync(`${state.path}.new`, 'w')
  state.rewrite = { fd, left: state.table.assignments()[Symbol.iterator](), lines: 0 }
}

const rewriteSome = (state: State, rewrite: NonNullable<State['rewrite']>): void => {
  let text = ''
  for (let count = 0; count < linesPerTurn; count++) {
    const next = rewrite.left.next()
    if (next.done === true) {
      writeWhole(rewrite.fd, text)
      return endRewrite(state, rewrite)
    }
    text += putLine(next.value)
    rewrite.lines++
  }
  writeWhole(rewrite.fd, text)
}

const endRewrite = (state: State, { fd, lines }: NonNullable<State['rewrite']>): void => {
  renameSync(`${state.path}.new`, state.path)
  if (state.fd !== null) closeSync(state.fd)
  state.fd = fd
  state.lines = lines
  state.rewrite = null
  state.isFailureLogged = false
}

/** Drops pending changes: the whole file is rewritten when the disk works again. */
const fail = (state: State, error: unknown): void => {
  if (!state.isFailureLogged)
    state.log.error({ err: error }, 'the assignment cache cannot be read or written')
  state.isFailureLogged = true
  state.onDropped(Math.max(1, state.pending.size))
  state.pending.clear()
  closeFiles(state)
  schedule(state, retryMs)
}

const closeFiles = (state: State): void => {
  if (state.rewrite !== null) {
    closeSync(state.rewrite.fd)
    rmSync(`${state.path}.new`, { force: true })
  }
  if (state.fd !== null) closeSync(state.fd)
  state.rewrite = null
  state.fd = null
}

const close = (state: State): void => {
  try {
    while (state.fd !== null && state.pending.size > 0) appendSome(state, state.fd)
  } catch (error) {
    fail(state, error)
  }
  if (state.timer !== null) clearTimeout(state.timer)
  closeFiles(state)
}
