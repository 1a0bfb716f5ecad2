


	
Ä Ä†(	0
8"ê ""† ""∞ "* * (
* (2x2samples2count2cpu2nanoseconds2bake2mix2main2/bakery/oven.c2/bakery/bin/oven25eed2tenant2north2size2bytes2http://bakery.example/2a note