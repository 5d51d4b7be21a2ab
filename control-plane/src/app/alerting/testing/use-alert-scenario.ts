import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach } from 'vitest'
import type { Sql } from '../../../stores/postgres/connect.ts'
import { alertScenario } from '../testing.ts'

export type AlertStage = {
  /** With the rights of loops, and with those of operations of accounts. */
  sql: Sql
  accountSql: Sql
  game: ReturnType<typeof alertScenario>
  accountId: string
}

/** A database for the tests of a file. Before each it is empty but for one account; read the values after that. */
export const useAlertScenario = (): AlertStage => {
  const stage = {} as AlertStage
  const database = useTestDatabase()
  stage.sql = database.use({ role: 'probe_mesh_system' })
  stage.accountSql = database.use({ role: 'probe_mesh_account' })
  beforeEach(async () => {
    await stage.sql`delete from accounts`
    await stage.sql`delete from outbox`
    stage.game = alertScenario(stage.sql)
    stage.accountId = await stage.game.account()
  })
  return stage
}
