import type { Attack } from './attack.ts'
import type { Person } from './person.ts'
import type { Stage } from './stage.ts'

/** Attacks until `look` has seen what it came for. @throws what the attack or the look threw */
export const underAttack = async <Seen>(
  stage: Stage,
  attack: Attack,
  people: readonly Person[],
  look: (stage: Stage) => Promise<Seen>,
): Promise<Seen> => {
  const ending = new AbortController()
  const begun = Promise.withResolvers<void>()
  const attacking = attack
    .run({ stage, people, signal: ending.signal, begun: begun.resolve })
    .finally(begun.resolve)
  attacking.catch(() => undefined)
  try {
    await begun.promise
    return await look(stage)
  } finally {
    ending.abort()
    await attacking
  }
}
