import { publicPageRoutes } from '@probe-mesh/contracts/public-page'
import type { Exchange } from '@probe-mesh/contracts/route-client'
import { askOver } from './ask.ts'
import type { AskOver } from './ask.ts'

/** What the control plane says to everybody, without a session. */
export type AskPublic = AskOver<typeof publicPageRoutes>

/** @param exchange carries where a request came from, and no cookie */
export const createAskPublic = (exchange: Exchange): AskPublic =>
  askOver(publicPageRoutes, 'http://control-plane', exchange)
