import type { Connection } from '../stores/postgres/connect.ts'
import type { Poison } from './poison.ts'

export const recordPoison = async (db: Connection, poison: Poison): Promise<void> => {
  await db`
    insert into poison_messages (id, partition, sequence, owner, reason, payload, received_at)
    values (${poison.id}, ${poison.partition}, ${poison.sequence}, ${poison.owner}, ${poison.reason},
      ${Buffer.from(poison.payload)}, ${new Date(poison.receivedAtMs)})
    on conflict (id) do nothing`
}
