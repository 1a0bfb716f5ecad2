<?php
// The back end of a shop: prices and ratings of articles, and how many there are.
function rateArticle(int $id): float {
    $score = 0.0;
    for ($i = 1; $i < 9000; $i++) {
        $score += ($id * $i) ** 0.5 / (1 + $i % 7);
    }
    return $score;
}
function priceOf(int $id, array $rates): int {
    $price = 990 + $id * 37 % 500;
    foreach ($rates as $rate) {
        $price = intdiv($price * (100 + $rate), 100);
    }
    return $price;
}
function loadArticles(int $count): array {
    $articles = [];
    for ($id = 0; $id < $count; $id++) {
        $articles[] = ['id' => $id, 'price' => priceOf($id, [3, 5, -4]), 'rating' => rateArticle($id)];
    }
    return $articles;
}
function sortByRating(array $articles): array {
    array_multisort(array_column($articles, 'rating'), SORT_DESC, $articles);
    return $articles;
}
echo json_encode(sortByRating(loadArticles(90)));
