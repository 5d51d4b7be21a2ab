import { noAssertions, toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { HarDraft, ImportedHttpCheck } from '@probe-mesh/contracts/check/check-import'
import type { Typed } from '../../html/components/form.ts'
import { typedOfCheck } from './check-texts.ts'
import { stepTexts, typedSteps } from './step-texts.ts'

/** What a form shows of a check that is not stored yet. */
const blank: Omit<Check, 'name' | 'url'> = {
  id: '',
  type: 'http',
  target: null,
  intervalSeconds: 0,
  regions: [],
  allRegions: true,
  paused: false,
  private: false,
  ...noAssertions,
  tags: [],
  status: 'unknown',
  createdAt: '',
  updatedAt: '',
}

/** The fields of an imported check. Interval and regions are those of a new one. */
export const typedOfDraft = ({
  name,
  url,
  timeoutSeconds,
  request,
  assertions,
}: ImportedHttpCheck): Typed => {
  const config = {
    type: 'http',
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(request !== undefined && { request }),
  } as const
  const check = { ...blank, name, url, ...toAssertions(assertions ?? {}) }
  const { intervalSeconds: _interval, regions: _regions, ...typed } = typedOfCheck(check, config)
  return typed
}

/** The fields of an imported journey. */
export const typedOfSteps = (name: string, steps: readonly HarDraft['steps'][number]['step'][]): Typed => ({
  name,
  ...typedSteps(stepTexts(steps)),
})
