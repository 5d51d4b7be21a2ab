import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountContext } from '@probe-mesh/control-plane/src/accounts/operations/context'

type Rules = Pick<AccountContext, 'rules'>
type Operation = (context: never, caller: never, input: never) => Promise<unknown>
type InputOf<O extends Operation> = Parameters<O> extends [unknown, unknown, infer Input] ? Input : unknown
type WhileOn<O extends Operation> = (
  context: Parameters<O>[0] & Rules,
  caller: Parameters<O>[1],
  input: InputOf<O>,
) => Promise<Awaited<ReturnType<O>> | Refusal>

/** The operations, refused with SV-3008 while the operator has error tracking off. */
export const whileOn = <T extends Readonly<Record<string, Operation>>>(
  operations: T,
): { readonly [N in keyof T]: WhileOn<T[N]> } => {
  const guarded = ([name, operation]: [string, Operation]) => [
    name,
    async (context: Rules, caller: never, input: never) =>
      context.rules.errorTracking === false ? refuse('SV-3008') : operation(context as never, caller, input),
  ]
  return Object.fromEntries(Object.entries(operations).map(guarded))
}
