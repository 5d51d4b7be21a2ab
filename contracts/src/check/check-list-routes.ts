import { CheckPart, CheckPartQuery, CheckTrends, CheckTrendsQuery } from './check-list.ts'
import { CheckNames, CheckNamesQuery } from './check-names.ts'
import type { Route } from '../schema/route.ts'

/** The account's checks as the dashboard lists and names them, however many they are. */
export const checkListRoutes = {
  listCheckPart: {
    method: 'GET',
    path: '/check-list',
    scope: 'read',
    budget: 'reads',
    summary: 'One part of the checks, worst first, and how many there are of each status',
    success: 200,
    query: CheckPartQuery,
    output: CheckPart,
  },
  listCheckTrends: {
    method: 'GET',
    path: '/check-trends',
    scope: 'read',
    budget: 'reads',
    summary: 'The last 24 hours of several checks, by the hour',
    success: 200,
    query: CheckTrendsQuery,
    output: CheckTrends,
    codes: ['SV-9002'],
  },
  listCheckNames: {
    method: 'GET',
    path: '/check-names',
    scope: 'read',
    budget: 'reads',
    summary: 'Names of checks, those of some ids and those that have a text',
    success: 200,
    query: CheckNamesQuery,
    output: CheckNames,
  },
} as const satisfies Record<string, Route>
