<?php
// Recorded by Xdebug during the tests: recursion, a cycle, closures, includes of nothing, shutdown code.
function leaf($n) { return str_repeat('x', $n); }
function fib($n) { leaf(3); return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function even($n) { return $n == 0 ? true : odd($n - 1); }
function odd($n) { return $n == 0 ? false : even($n - 1); }
class Shape { function area() { return array_sum(array_map(function ($x) { return $x * 2; }, [1, 2, 3])); } }
register_shutdown_function(function () { leaf(9); });
fib(9);
even(11);
(new Shape)->area();
