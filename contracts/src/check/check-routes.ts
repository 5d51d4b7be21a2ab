import { z } from 'zod'
import { field } from '../schema/field.ts'
import { Deleted } from '../schema/ids.ts'
import { UpdateCheckAssertionsInput } from './assertions.ts'
import {
  Check,
  CheckDetail,
  CheckParams,
  ReadingsQuery,
  Series,
  SeriesQuery,
  StoredReading,
} from './check.ts'
import { planChecksRoute } from './check-plan.ts'
import { CheckRows, ChecksQuery } from './check-row.ts'
import { CreateCheckInput, ReplaceCheckInput, UpdateCheckInput } from './create-check-input.ts'
import { Run, RunsQuery } from '../heartbeat/heartbeat.ts'
import { nextCursor } from '../schema/list.ts'
import { read, write, type Route } from '../schema/route.ts'

/** `GET /checks` without parameters, which the tool `list_checks` calls. */
export const allChecksRoute = {
  method: 'GET',
  path: '/checks',
  scope: 'read',
  budget: 'reads',
  summary:
    'All checks of the account, of all types, or the filtered ones; with limit or include=state in pages',
  success: 200,
  output: z.object({
    checks: field(z.array(Check), 'Checks of the account.'),
  }),
} as const satisfies Route

export const checkRoutes = {
  listChecks: {
    ...allChecksRoute,
    query: ChecksQuery,
    output: z.union([CheckRows, allChecksRoute.output.extend({ nextCursor })]),
  },
  createCheck: write({
    method: 'POST',
    path: '/checks',
    summary: 'Create an http check; every region measures it once immediately',
    success: 201,
    body: CreateCheckInput,
    output: Check,
    location: '/checks/:$id',
    codes: ['SV-2002', 'SV-3001', 'SV-4001', 'SV-4002', 'SV-5001'],
  }),
  planChecks: planChecksRoute,
  getCheck: read({
    path: '/checks/:id',
    summary: 'One check with its status, in total and per region',
    params: CheckParams,
    output: CheckDetail,
  }),
  updateCheckRegions: write({
    method: 'PATCH',
    path: '/checks/:id',
    summary:
      'Change the regions or the private agent of a check, its timeout, the verdict for a refusal, its tags, or pause it',
    params: CheckParams,
    body: UpdateCheckInput,
    output: Check,
    codes: ['SV-1013', 'SV-3002', 'SV-3005', 'SV-5001'],
  }),
  updateCheckAssertions: write({
    method: 'PATCH',
    path: '/checks/:id/assertions',
    summary: 'Replace all assertions; an empty body clears them',
    params: CheckParams,
    body: UpdateCheckAssertionsInput,
    output: Check,
    codes: ['SV-2002', 'SV-3002', 'SV-3005'],
  }),
  replaceCheck: write({
    method: 'POST',
    path: '/checks/:id/replace',
    summary:
      'Replace an http check by a new one, with a new id and no history: both or neither. What the body leaves out stays; components, alert rules, maintenance and incidents move to the new check. Repeating the request answers the same check',
    success: 201,
    location: '/checks/:$id',
    params: CheckParams,
    body: ReplaceCheckInput,
    output: Check,
    codes: ['SV-1013', 'SV-2002', 'SV-3002', 'SV-3005', 'SV-4002', 'SV-5001'],
  }),
  deleteCheck: write({
    method: 'DELETE',
    path: '/checks/:id',
    summary: 'Delete a check with its history, its components and the incidents that name no other check',
    params: CheckParams,
    output: Deleted,
  }),
  runCheck: write({
    method: 'POST',
    path: '/checks/:id/run',
    summary: 'Measure now: one manual reading per region, with its phases',
    params: CheckParams,
    output: z.object({
      readings: field(z.array(StoredReading), 'One manual reading per region.'),
      unanswered: field(z.array(z.string()), 'Regions that did not answer in time.', []),
    }),
    codes: ['SV-3005', 'SV-5001'],
  }),
  listReadings: read({
    path: '/checks/:id/readings',
    summary: 'Readings, newest first',
    params: CheckParams,
    query: ReadingsQuery,
    output: z.object({
      readings: field(z.array(StoredReading), 'Readings, newest first.'),
      nextCursor: field(z.string().nullable(), 'Next page. null on the last.', null),
    }),
  }),
  listHeartbeatRuns: read({
    path: '/checks/:id/runs',
    summary: 'Runs of a heartbeat, newest first; other checks have none',
    params: CheckParams,
    query: RunsQuery,
    output: z.object({ runs: field(z.array(Run), 'Runs, newest first.'), nextCursor }),
  }),
  getSeries: read({
    path: '/checks/:id/series',
    summary: 'Percentiles, availability and the slot ledger per step',
    params: CheckParams,
    query: SeriesQuery,
    output: Series,
  }),
} as const satisfies Record<string, Route>
