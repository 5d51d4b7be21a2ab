import {
  calendarDays,
  schedulesMax,
  type Layer,
  type Schedule,
  type ScheduleInput,
  type Shift,
} from '@probe-mesh/contracts/on-call/schedule'
import { turnNotes } from '@probe-mesh/contracts/on-call/turn-shares'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import type { AccountContext, AccountRules, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'
import { findPolicies } from './policies-store.ts'
import {
  deleteSchedule as deleteRow,
  findMemberNames,
  findSchedules,
  lockSchedule,
  writeSchedule,
  type ScheduleRecord,
} from './schedules-store.ts'
import { shiftsBetween, whoIsOnCall } from './who-is-on-call.ts'

/** `tokens` signs the addresses of calendars. */
export type ScheduleContext = Pick<AccountContext, 'sql' | 'now'> & {
  tokens: UnsubscribeTokens
  rules: Pick<AccountRules, 'publicUrl'>
}
type ById = { params: { id: string } }

const calendarMs = calendarDays * 86_400_000

/** The schedules of the account by name, with who is on call now. */
export const listSchedules = async (
  context: ScheduleContext,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ schedules: Schedule[] }> => {
  const found = await inAccount(context.sql, accountId, (tx) => findSchedules(tx, [accountId]))
  return { schedules: found.map((each) => describeSchedule(context, each)) }
}

/** One schedule with its shifts of the next four weeks. */
export const getSchedule = async (
  context: ScheduleContext,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: ById,
): Promise<{ schedule: Schedule; shifts: Shift[] } | Refusal> => {
  const found = await inAccount(context.sql, accountId, (tx) => findSchedules(tx, [accountId]))
  const schedule = found.find((each) => each.id === id)
  if (schedule === undefined) return refuse('SV-3001')
  const nowMs = context.now()
  const shifts = shiftsBetween(schedule, nowMs, nowMs + calendarMs)
  return {
    schedule: describeSchedule(context, schedule),
    shifts: shifts.map(({ userId, fromMs, toMs }) => ({ userId, from: isoOf(fromMs), to: isoOf(toMs) })),
  }
}

/** SV-2001 with every unknown member and every member without a turn, SV-3002 for too many schedules. */
export const createSchedule = async (
  context: ScheduleContext,
  writer: Writer,
  { body }: { body: ScheduleInput },
): Promise<Schedule | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const record = { ...body, id: uuidv7(nowMs), accountId, feedId: crypto.randomUUID() }
  const audit = { action: 'createSchedule', resourceType: 'on_call_schedule', resourceId: () => record.id }
  const written = await write(context, writer, audit, async (tx) => {
    const refusal = await refuseTurns(tx, accountId, nowMs, body)
    if (refusal !== null) return refusal
    await lockAccount(tx, accountId)
    if ((await findSchedules(tx, [accountId])).length >= schedulesMax) {
      return refuse('SV-3002', { message: `The limit of ${schedulesMax} on-call schedules is reached.` })
    }
    await writeSchedule(tx, record, nowMs)
    return record
  })
  return isRefusal(written) ? written : describeSchedule(context, written)
}

/** Replaces the settings. SV-3001 for another account's schedule, SV-2001 as on creation. */
export const updateSchedule = (
  context: ScheduleContext,
  writer: Writer,
  { params: { id }, body }: ById & { body: ScheduleInput },
): Promise<Schedule | Refusal> =>
  changeSchedule(
    context,
    writer,
    { action: 'updateSchedule', id },
    async (before, tx) =>
      (await refuseTurns(tx, writer.accountId, context.now(), body, before)) ?? { ...before, ...body },
  )

/** Gives the calendar of a schedule another secret address. SV-3001 for another account's schedule. */
export const replaceCalendarAddress = (
  context: ScheduleContext,
  writer: Writer,
  { params: { id } }: ById,
): Promise<Schedule | Refusal> =>
  changeSchedule(context, writer, { action: 'replaceCalendarAddress', id }, (before) => ({
    ...before,
    feedId: crypto.randomUUID(),
  }))

const changeSchedule = async (
  context: ScheduleContext,
  writer: Writer,
  { action, id }: { action: string; id: string },
  change: (
    before: ScheduleRecord,
    tx: Transaction,
  ) => ScheduleRecord | Refusal | Promise<ScheduleRecord | Refusal>,
): Promise<Schedule | Refusal> => {
  const audit = { action, resourceType: 'on_call_schedule', resourceId: () => id }
  const written = await write(context, writer, audit, async (tx) => {
    const before = await lockSchedule(tx, writer.accountId, id)
    if (before === null) return refuse('SV-3001')
    const record = await change(before, tx)
    if (!isRefusal(record)) await writeSchedule(tx, record, context.now())
    return record
  })
  return isRefusal(written) ? written : describeSchedule(context, written)
}

/** SV-3002 while an escalation policy names it. */
export const deleteSchedule = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: ById,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'deleteSchedule', resourceType: 'on_call_schedule', resourceId: () => id }
  return write(context, writer, audit, async (tx) => {
    if ((await lockSchedule(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    const naming = (await findPolicies(tx, [writer.accountId])).filter(({ levels }) =>
      levels.some(({ scheduleIds }) => scheduleIds.includes(id)),
    )
    if (naming.length > 0) {
      const names = naming.map(({ name }) => name).join(', ')
      return refuse('SV-3002', {
        message: `Escalation policies name this schedule: ${names}. Change them first.`,
      })
    }
    await deleteRow(tx, id)
    return { id, deleted: true } as const
  })
}

type Turns = Pick<ScheduleRecord, 'layers' | 'overrides'>

/**
 * SV-2001 with every member that the account does not have, and every one who would never have a turn (S-1970).
 * @param before whose removed members, and members without a turn, may stay: an override can be added at any time
 */
const refuseTurns = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
  { layers, overrides }: Turns,
  before: Turns = { layers: [], overrides: [] },
): Promise<Refusal | null> => {
  const kept = [
    ...before.layers.flatMap(({ userIds }) => userIds),
    ...before.overrides.map((each) => each.userId),
  ]
  const names = new Map((await findMemberNames(tx, accountId)).map(({ id, name }) => [id, name]))
  const known = new Set([...names.keys(), ...kept])
  const message = 'this account has no member with this id'
  const keyOf = ({ layer, userId }: { layer: number; userId: string }): string => `${layer} ${userId}`
  const idleBefore = new Set(idleMembers(before.layers, nowMs).map(keyOf))
  const errors: FieldProblem[] = [
    ...layers.flatMap(({ userIds }, layer) =>
      userIds.flatMap((id, index) =>
        known.has(id) ? [] : [{ path: `layers[${layer}].userIds[${index}]`, message }],
      ),
    ),
    ...overrides.flatMap(({ userId }, index) =>
      known.has(userId) ? [] : [{ path: `overrides[${index}].userId`, message }],
    ),
    ...idleMembers(layers, nowMs)
      .filter((idle) => known.has(idle.userId) && !idleBefore.has(keyOf(idle)))
      .map((idle) => idleProblem(idle, layers, names.get(idle.userId) ?? 'A removed member')),
  ]
  return errors.length === 0 ? null : refuse('SV-2001', { errors })
}

type IdleMember = { layer: number; userId: string; cycleDays: number }

const idleMembers = (layers: readonly Layer[], nowMs: number): IdleMember[] =>
  turnNotes(layers, nowMs).flatMap((note) =>
    note.kind === 'never'
      ? note.userIds.map((userId) => ({ layer: note.layer, userId, cycleDays: note.cycleDays }))
      : [],
  )

const idleProblem = (
  { layer, userId, cycleDays }: IdleMember,
  layers: readonly Layer[],
  name: string,
): FieldProblem => ({
  path: `layers[${layer}].userIds[${layers[layer]?.userIds.indexOf(userId)}]`,
  message: `${name} would never be on call: turns and days repeat every ${cycleDays} days. Count the days on call only, or change the length of a turn.`,
})

const describeSchedule = (
  { tokens, now, rules: { publicUrl } }: ScheduleContext,
  record: ScheduleRecord,
): Schedule => {
  const nowMs = now()
  const [current] = shiftsBetween(record, nowMs, nowMs + calendarMs)
  const untilMs = current?.toMs ?? nowMs + calendarMs
  return {
    id: record.id,
    name: record.name,
    timeZone: record.timeZone,
    layers: record.layers,
    overrides: record.overrides,
    now: {
      userId: whoIsOnCall(record, nowMs),
      until: untilMs < nowMs + calendarMs ? isoOf(untilMs) : null,
    },
    feedUrl: `${publicUrl}/on-call/${tokens.of(record.feedId)}.ics`,
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
