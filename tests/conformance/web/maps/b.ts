import { countPrimes, Table } from './a';

const mixWords = function (rounds: number): number {
	let words = 17;
	for (let round = 0; round < rounds; round++) words = (words * 31 + round) % 1000003;
	return words;
};

function runAll(): number {
	const table = new Table();
	let total = 0;
	for (let turn = 0; turn < 40; turn++) {
		total += countPrimes(20000) + mixWords(300000);
		total += [1, 2, 3].map((item) => item * table.fillCells(20000)).length;
	}
	return total;
}
console.log(runAll());
