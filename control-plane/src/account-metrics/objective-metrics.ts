import { burnWindows, type Objective } from '@probe-mesh/contracts/objective/objective'
import { labelText, type Family } from './metric-text.ts'

const labelsOf = ({ id, name }: Objective): string => labelText({ objective: name, objective_id: id })

/** The metrics of objectives. A figure without a judged probe is absent (S-3710). */
export const objectiveFamilies: readonly Family<Objective>[] = [
  {
    name: 'probe_mesh_objective_budget_ratio',
    help: 'The share of the error budget of the window that is left; negative if more was spent',
    samples: (objective) => {
      const value = objective.state?.budgetRatio ?? null
      return value === null ? [] : [{ labels: labelsOf(objective), value }]
    },
  },
  {
    name: 'probe_mesh_objective_burn_rate',
    help: 'How fast the error budget was spent over a time: at 1 it lasts exactly the window of the objective',
    samples: (objective) =>
      burnWindows.flatMap((window) => {
        const value = objective.state?.burnRates[window] ?? null
        return value === null ? [] : [{ labels: `${labelsOf(objective)},window="${window}"`, value }]
      }),
  },
]
