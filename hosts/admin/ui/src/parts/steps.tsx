import { type Call, useMutation } from '@keel/react'
import { Button, Menu, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { type Field, Fields, inputOf } from './fields.js'
import { FormBody, useForm } from './form.js'
import { Icon, type IconName } from './icons.js'
import { useTell } from './notices.js'
import {
  type Comparing,
  type Stamped,
  seenState,
  stampOf,
  ThingConflict,
  useThingConflict,
} from './thing-conflict.js'

type Values = Record<string, string>

/** What a person may do now with a thing that has a status. */
export interface Step {
  /** The key of its text. */
  readonly title: string
  readonly icon: IconName
  /** False hides it: the status does not allow it, or the person lacks the permission. */
  readonly isPossible: boolean
  /** The next thing to do, as a button of its own; the others stand in a menu. */
  readonly isMain?: boolean
  readonly isDangerous?: boolean
  /** What has to be entered before, e.g. a reason. */
  readonly fields?: readonly Field<Values>[]
  /** The key of what will happen, above the fields. */
  readonly hint?: string
  readonly values?: Values
  /** See {@link useForm}. */
  readonly fieldOfCode?: Readonly<Record<string, string>>
  /** @param stamp that of the version which the person has seen, for the operation to notice changes since then */
  readonly run: (
    values: Values,
    mutate: ReturnType<typeof useMutation>['run'],
    stamp: { readonly concurrencyStamp?: string },
  ) => Promise<unknown>
  /** The key of what is told afterwards; unless given, that it was saved. False for nothing. */
  readonly done?: string | false
}

/** A reason as a field of a step. */
export const reasonField: Field<Values> = {
  name: 'reason',
  title: 'Pricing::DisplayName:Quote:StatusReason',
  kind: 'area',
  isRequired: true,
}

/** The steps that are possible: buttons for the main ones, a menu with the others. */
export function Steps<T extends Stamped>({
  steps,
  thing,
  comparing,
  draft,
  size = 'sm',
  alsoInvalidates = [],
}: {
  readonly steps: readonly Step[]
  readonly thing: T
  /** What is shown of the thing when it was changed meanwhile. */
  readonly comparing: Comparing<T>
  /** Names the drafts of what is entered, e.g. `quote:<id>`. */
  readonly draft: string
  readonly size?: 'xs' | 'sm'
  readonly alsoInvalidates?: readonly Call[]
}) {
  const t = useTexts()
  const tell = useTell()
  const { run, isRunning } = useMutation(...alsoInvalidates)
  const [askedTitle, ask] = useState<string>()
  // The step as it is now: after a conflict the thing has another status.
  const stepOf = (title: string | undefined) => steps.find((step) => step.title === title)
  const asked = stepOf(askedTitle)
  const possible = steps.filter(({ isPossible }) => isPossible)
  const others = possible.filter(({ isMain }) => !isMain)
  const { perform, conflict } = useThingConflict({
    ...{ thing, comparing, isRunning },
    async act(title: string, seen) {
      const step = stepOf(title)
      if (!step) return
      await step.run({}, run, stampOf(seen))
      if (step.done !== false) tell(t(step.done ?? 'AbpUi::SavedSuccessfully'))
    },
    refuse: ({ message }) => tell(message, true),
  })
  const take = (step: Step) => (step.fields || step.hint ? ask(step.title) : void perform(step.title))
  return (
    <>
      {possible
        .filter(({ isMain }) => isMain)
        .map((step, index) => (
          <Button
            key={step.title}
            size={size}
            variant={index === 0 && !step.isDangerous ? 'filled' : 'default'}
            leftSection={<Icon name={step.icon} />}
            loading={isRunning && asked === undefined}
            onClick={() => take(step)}
          >
            {t(step.title)}
          </Button>
        ))}
      {others.length > 0 && (
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <Button size={size} variant="default" rightSection={<Icon name="down" size={14} />}>
              {t('AbpUi::Actions')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((step) => (
              <Menu.Item
                key={step.title}
                color={step.isDangerous ? 'red' : undefined}
                leftSection={<Icon name={step.icon} />}
                onClick={() => take(step)}
              >
                {t(step.title)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {asked && (
        <StepDialog step={asked} {...{ thing, comparing, draft, run }} onClose={() => ask(undefined)} />
      )}
      {conflict}
    </>
  )
}

function StepDialog<T extends Stamped>({
  step,
  thing,
  comparing,
  draft,
  run,
  onClose,
}: {
  readonly step: Step
  readonly thing: T
  readonly comparing: Comparing<T>
  readonly draft: string
  readonly run: ReturnType<typeof useMutation>['run']
  readonly onClose: () => void
}) {
  const t = useTexts()
  const tell = useTell()
  const { title, fields = [], values = {}, fieldOfCode, done, hint } = step
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const form = useForm<Values>({
    draft: `${draft}:${title}`,
    initial: {
      ...Object.fromEntries(fields.map(({ name }) => [name, ''])),
      ...values,
      ...seenState(thing, comparing.seenOf),
    },
    ...(fieldOfCode && { fieldOfCode }),
    async save(entered) {
      const read = inputOf(entered, fields)
      const asked = Object.fromEntries(fields.map(({ name }) => [name, read[name] as string]))
      await step.run(asked, run, stampOf(entered)).catch((refusal: Error) => {
        // What the step was taken on, such as an option of a quote, may be gone by then, and this dialog with it.
        if (isGone.current) tell(refusal.message, true)
        throw refusal
      })
      if (done !== false) tell(t(done ?? 'AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <Dialog title={t(title)} onClose={onClose}>
      {hint && (
        <Text size="sm" mb="md">
          {t(hint)}
        </Text>
      )}
      <FormBody form={form} onCancel={onClose} submitText={t(title)} isDangerous={step.isDangerous}>
        <Fields form={form} fields={fields} />
      </FormBody>
      <ThingConflict form={form} {...{ thing, comparing }} />
    </Dialog>
  )
}
