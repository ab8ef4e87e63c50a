import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number between `least` and `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (given: string): number => {
    const number = /^\d+$/.test(given) ? Number(given) : NaN;
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
    return number;
  };
