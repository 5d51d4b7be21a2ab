import { z } from 'zod'

export const StepMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
export type StepMethod = z.infer<typeof StepMethod>
