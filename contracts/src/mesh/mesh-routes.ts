import { Ledger, LedgerQuery, Mesh } from './mesh.ts'
import type { Route } from '../schema/route.ts'

/** Of the dashboard alone: how what measures is doing, and what of it the account was owed. */
export const meshRoutes = {
  getMesh: {
    method: 'GET',
    path: '/mesh',
    scope: 'read',
    budget: 'reads',
    summary: 'Regions, agents, quarantines and partitions, as one control plane sees them',
    success: 200,
    output: Mesh,
  },
  getLedger: {
    method: 'GET',
    path: '/ledger',
    scope: 'read',
    budget: 'reads',
    summary: 'Slots of the account that were due against readings stored, and how late they came',
    success: 200,
    query: LedgerQuery,
    output: Ledger,
    codes: ['SV-9002'],
  },
} as const satisfies Record<string, Route>
