/**
 * Measures every contender once per round. The contender that starts moves on by one each round, so that
 * no contender always runs first.
 * @param contenders by name; each gets the number of the round, from 1
 */
export const takeTurns = async <Name extends string, Run>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => Promise<Run>>>,
  onRound: (round: number) => void = () => undefined,
): Promise<Readonly<Record<Name, Run>>[]> => {
  const names = Object.keys(contenders) as Name[]
  const measured: Record<Name, Run>[] = []
  for (let round = 1; round <= rounds; round++) {
    onRound(round)
    const first = round % names.length
    const runs: Partial<Record<Name, Run>> = {}
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      runs[name] = await contenders[name](round)
    }
    // every name had its turn
    measured.push(runs as Record<Name, Run>)
  }
  return measured
}

/** How many rounds give a median: five, or one to see that the bench works. */
export const roundsOf = (quick: boolean): number => (quick ? 1 : 5)
